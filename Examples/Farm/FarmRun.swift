import Dispatch
import ExampleSupport
import LatticeJobs
import Synchronization

/// The jobs of one run, their progress, and the report at the end.
final class FarmRun<J: Job>: Sendable {
    private struct State {
        /// The jobs whose results have not been shown yet. A handle keeps the output of its job.
        var handles: [JobHandle<J>?]
        var succeeded = 0
        var failures: [(file: String, problem: String)] = []
        var estimator = ProgressEstimator()
        /// The signal that ended the run, if one did.
        var signal: Int32?
    }

    private let farm: JobPool
    private let files: [String]
    private let show: @Sendable (String, Result<J.Output, any Error>) -> Void
    private let state: Mutex<State>
    private let start = ContinuousClock.now
    /// Writes results one after the other. Only this queue waits for the reader of the output.
    private let output = DispatchQueue(label: "farm.output")

    /// Submits a job for each file.
    init(
        _ files: [String],
        _ farm: JobPool,
        job: (String) -> J,
        show: @escaping @Sendable (String, Result<J.Output, any Error>) -> Void
    ) throws {
        (self.files, self.farm, self.show) = (files, farm, show)
        let handles = try files.map { try farm.submit(job($0)) }
        state = Mutex(State(handles: handles))
    }

    /// Waits for all jobs and shows their results, in the order in which they end.
    ///
    /// - Returns: The exit code of the program.
    func finish(_ signals: Signals, isControlled: Bool) async -> Int32 {
        if isControlled { DispatchQueue.global().async { self.obey() } }
        // Ends when all results were written, or with a signal.
        let (written, end) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { helpers in
            helpers.addTask {
                guard let number = await signals.first() else { return }
                for handle in self.interrupted(by: number) { handle?.cancel() }
                end.finish()
            }
            if StatusLine.isTerminal { helpers.addTask { await self.draw() } }
            // Its tasks are released when they end, which those of another group are not.
            await withDiscardingTaskGroup { group in
                for index in files.indices { group.addTask { await self.follow(index) } }
            }
            output.async { end.finish() }
            for await _ in written {}
            helpers.cancelAll()
        }
        StatusLine.endBar()
        let (succeeded, failures, signal) = state.withLock { ($0.succeeded, $0.failures, $0.signal) }
        for failure in failures { StatusLine.say("farm: \(failure.file): \(failure.problem)") }
        let seconds = (start.duration(to: .now) / .milliseconds(1)).rounded() / 1000
        StatusLine.say("farm: \(succeeded) of \(files.count) jobs succeeded in \(seconds) seconds.")
        return signal.map { 128 + $0 } ?? (failures.isEmpty ? 0 : 1)
    }

    private func interrupted(by signal: Int32) -> [JobHandle<J>?] {
        state.withLock { state in
            state.signal = signal
            return state.handles
        }
    }

    private func follow(_ index: Int) async {
        guard let result = await result(of: index) else { return }
        state.withLock { state in
            state.handles[index] = nil
            switch result {
            case .success: state.succeeded += 1
            case .failure(let error): state.failures.append((files[index], "\(error)"))
            }
            let done = Int64(state.succeeded + state.failures.count)
            state.estimator.add(JobProgress(completedUnits: done, totalUnits: Int64(files.count)), at: .now)
        }
        output.async { self.show(self.files[index], result) }
    }

    private func result(of index: Int) async -> Result<J.Output, any Error>? {
        guard let handle = state.withLock({ $0.handles[index] }) else { return nil }
        do { return .success(try await handle.output) } catch { return .failure(error) }
    }

    private func draw() async {
        while !Task.isCancelled {
            let (succeeded, failed, rest) = state.withLock {
                ($0.succeeded, $0.failures.count, $0.estimator.remainingTime)
            }
            let time = rest.map { ", \(Int($0 / .seconds(1))) s left" } ?? ""
            let counts = "\(succeeded + failed)/\(files.count) done, \(failed) failed, \(farm.counts.running) running"
            StatusLine.draw(counts + time + (farm.isPaused ? ", paused" : ""))
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    /// Reads what the user enters, until the input ends.
    private func obey() {
        while let line = readLine() {
            let words = line.split(separator: " ")
            switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
            case ("p", nil): farm.pause()
            case ("r", nil): farm.resume()
            case ("c", let number?) where files.indices ~= number - 1:
                state.withLock { $0.handles[number - 1] }?.cancel()
            default: StatusLine.say("farm: Enter p to pause, r to resume, or c and the number of a file to cancel it.")
            }
        }
    }
}
