import Dispatch
import ExampleSupport
import LatticeJobs
import Synchronization

/// The jobs of one run, their progress, and the report at the end.
final class FarmRun<J: Job>: Sendable {
    private struct State {
        var succeeded = 0
        var failures: [(file: String, problem: String)] = []
        var estimator = ProgressEstimator()
        /// The signal that ended the run, if one did.
        var signal: Int32?
    }

    private let farm: JobPool
    private let pieces: [(file: String, handle: JobHandle<J>)]
    private let show: @Sendable (String, J.Output) -> Void
    private let state = Mutex(State())
    private let start = ContinuousClock.now

    /// Submits a job for each file.
    init(
        _ files: [String],
        _ farm: JobPool,
        job: (String) -> J,
        show: @escaping @Sendable (String, J.Output) -> Void
    ) throws {
        (self.farm, self.show) = (farm, show)
        pieces = try files.map { ($0, try farm.submit(job($0))) }
    }

    /// Waits for all jobs and shows their results, in the order in which they end.
    ///
    /// - Returns: The exit code of the program.
    func finish(_ signals: Signals, isControlled: Bool) async -> Int32 {
        if isControlled { DispatchQueue.global().async { self.obey() } }
        await withTaskGroup(of: Void.self) { helpers in
            helpers.addTask {
                guard let number = await signals.first() else { return }
                self.state.withLock { $0.signal = number }
                for piece in self.pieces { piece.handle.cancel() }
            }
            if StatusLine.isTerminal { helpers.addTask { await self.draw() } }
            await withTaskGroup(of: Void.self) { group in
                for piece in pieces { group.addTask { await self.follow(piece.file, piece.handle) } }
            }
            helpers.cancelAll()
        }
        StatusLine.endBar()
        let (succeeded, failures, signal) = state.withLock { ($0.succeeded, $0.failures, $0.signal) }
        for failure in failures { StatusLine.say("farm: \(failure.file): \(failure.problem)") }
        let seconds = (start.duration(to: .now) / .milliseconds(1)).rounded() / 1000
        StatusLine.say("farm: \(succeeded) of \(pieces.count) jobs succeeded in \(seconds) seconds.")
        return signal.map { 128 + $0 } ?? (failures.isEmpty ? 0 : 1)
    }

    private func follow(_ file: String, _ handle: JobHandle<J>) async {
        let result: Result<J.Output, any Error>
        do { result = .success(try await handle.output) } catch { result = .failure(error) }
        state.withLock { state in
            switch result {
            case .success(let output):
                show(file, output)
                state.succeeded += 1
            case .failure(let error): state.failures.append((file, "\(error)"))
            }
            let done = Int64(state.succeeded + state.failures.count)
            state.estimator.add(JobProgress(completedUnits: done, totalUnits: Int64(pieces.count)), at: .now)
        }
    }

    private func draw() async {
        while !Task.isCancelled {
            let (succeeded, failed, rest) = state.withLock {
                ($0.succeeded, $0.failures.count, $0.estimator.remainingTime)
            }
            let time = rest.map { ", \(Int($0 / .seconds(1))) s left" } ?? ""
            let counts = "\(succeeded + failed)/\(pieces.count) done, \(failed) failed, \(farm.counts.running) running"
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
            case ("c", let number?) where pieces.indices ~= number - 1: pieces[number - 1].handle.cancel()
            default: StatusLine.say("farm: Enter p to pause, r to resume, or c and the number of a file to cancel it.")
            }
        }
    }
}
