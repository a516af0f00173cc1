import Foundation
import LatticeClient
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

/// Events with random deadlines and cancels, while their worker is killed and stopped at random moments.
@MainActor @Suite(.timeLimit(.minutes(10)))
struct RandomCancellationTests {
    /// `LATTICE_SEED=N` repeats a run.
    nonisolated static var seeds: [UInt64] {
        let given = ProcessInfo.processInfo.environment["LATTICE_SEED"]
        return given.flatMap { UInt64($0) }.map { [$0] } ?? [UInt64.random(in: 0...(.max))]
    }

    private typealias Instant = ContinuousClock.Instant

    /// How an event is asked to end.
    private enum Request {
        case deadline
        case cancel
    }

    private final class Sent: Sendable {
        let task: EventTask
        let request: Request
        /// The deadline, or the time of the cancel.
        let due = Locked<Instant?>(nil)
        let end = Locked<Instant?>(nil)

        init(_ task: EventTask, _ request: Request, due: Instant? = nil) {
            self.task = task
            self.request = request
            self.due.withLock { $0 = due }
        }
    }

    private static let events = 10_000
    private static let heartbeatTimeout: Duration = .seconds(2)
    /// The time from a fault until a worker serves again. On a quiet machine it takes less than 4 s. Beside all other
    /// tests the starts of workers wait for each other.
    private static let restartBound: Duration = heartbeatTimeout + .seconds(60)
    /// The time after a deadline or cancel within which an event ends if its worker has a fault, besides the time in
    /// which no worker serves.
    private static let disturbedBound: Duration = heartbeatTimeout + .seconds(4)
    /// The time after a deadline or cancel within which an event ends if nothing happens to its worker. On a quiet
    /// machine it takes less than 100 ms. On a busy one three processes wait for a core one after another.
    private static let quietBound: Duration = .seconds(2)

    @Test(
        "Every event ends soon after its deadline or cancel, whatever happens to its worker, and the outcome says why",
        arguments: seeds
    )
    func random(seed: UInt64) async throws {
        try await withSocketPath { path in
            var configuration = configuration(workers: Programs.path("unruly"))
            configuration.heartbeatInterval = .milliseconds(100)
            configuration.heartbeatTimeout = Self.heartbeatTimeout
            configuration.restart.intensity.restarts = 10_000
            // A stopped worker ignores goodbye and SIGTERM. One that is stopped in a turn is ended by the limit of it.
            configuration.teardownTimeout = .milliseconds(100)
            configuration.limits.turnTimeout = Self.heartbeatTimeout
            let meter = LatenessMeter()
            let outages = Watched(Outages())
            configuration.observers.append(
                RuntimeObserver(of: .workers) { event in
                    switch event {
                    case .workerTerminated, .workerUnresponsive: outages.change { $0.begin() }
                    case .workerServing: outages.change { $0.end() }
                    default: break
                    }
                }
            )
            defer { meter.stop() }
            try await withCoordinator(
                hosting: UnrulyFeature.self,
                listeningAt: path,
                configuration: configuration
            ) { coordinator in
                let own = try await coordinator.viewModel(UnrulyFeature.self)
                try await withClient(connectingTo: path) { client in
                    let viewModels = [own, try await client.viewModel(UnrulyFeature.self)]
                    let faults = Task { await self.injectFaults(seed, own, outages) }
                    let sent = try await send(seed, to: viewModels)
                    for event in sent { _ = await event.task.finish() as EventOutcome }
                    faults.cancel()
                    await faults.value
                    var happened = outages.value
                    happened.end()
                    let longest = happened.times.map { $0.lowerBound.duration(to: $0.upperBound) }.max() ?? .zero
                    #expect(longest < Self.restartBound, "LATTICE_SEED=\(seed)")
                    for (number, event) in sent.enumerated() { check(event, number, seed) }
                    let late = sent.indices.compactMap { lateness(of: sent[$0], $0, happened, meter) }
                    #expect(late.isEmpty, "\(late.count) of LATTICE_SEED=\(seed), such as \(late.prefix(3))")
                    expectAllKinds(sent)
                }
            }
        }
    }

    @Test(
        "An event of a worker that is stopped ends at its deadline and the grace after it, wherever it was sent",
        arguments: [true, false]
    )
    func stopped(isGraceShort: Bool) async throws {
        try await withSocketPath { path in
            let grace = Duration.seconds(isGraceShort ? 0 : 3_600)
            var (configuration, ofClient) = (configuration(workers: Programs.path("unruly")), ClientConfiguration())
            (configuration.deadlineGrace, ofClient.deadlineGrace) = (grace, grace)
            configuration.heartbeatTimeout = .seconds(3_600)
            try await withCoordinator(
                hosting: UnrulyFeature.self,
                listeningAt: path,
                configuration: configuration
            ) { coordinator in
                let own = try await coordinator.viewModel(UnrulyFeature.self)
                try await withClient(connectingTo: path, configuration: ofClient) { client in
                    let viewModels = [own, try await client.viewModel(UnrulyFeature.self)]
                    let process = try servingProcess(own)
                    stop(process)
                    defer { kill(process, SIGCONT) }
                    let events = viewModels.map { $0.sendViewEvent(.wait, deadline: .now + .milliseconds(100)) }
                    if isGraceShort {
                        for event in events {
                            let cancellation = await event.finish().cancellation
                            #expect(cancellation == Cancellation(by: .deadline, stage: .unknown))
                        }
                    } else {
                        // The worker ends them, or has no time left to begin with them.
                        kill(process, SIGCONT)
                        for event in events {
                            let outcome = await event.finish()
                            if outcome != .rejected(.deadlinePassed) {
                                #expect(outcome.cancellation == Cancellation(by: .deadline, stage: .whileRunning))
                            }
                        }
                    }
                }
            }
        }
    }

    private func send(_ seed: UInt64, to viewModels: [ViewModel<UnrulyFeature>]) async throws -> [Sent] {
        var generator = SeededGenerator(seed: seed)
        var sent: [Sent] = []
        for number in 0..<Self.events {
            let viewModel = viewModels[number % viewModels.count]
            let action: UnrulyFeature.Action =
                switch Int.random(in: 0..<100, using: &generator) {
                case 0..<70: .wait
                case 70..<80: .add(1)
                case 80..<90: .addLater(1)
                case 90..<99: .rest(milliseconds: Int.random(in: 0...5, using: &generator))
                default: .computeUntilKilled(grace: 300)
                }
            let delay = Duration.microseconds(Int.random(in: 0...400_000, using: &generator))
            let event: Sent
            if Bool.random(using: &generator) {
                let deadline = Instant.now + delay
                event = Sent(viewModel.sendViewEvent(action, deadline: deadline), .deadline, due: deadline)
            } else {
                event = Sent(viewModel.sendViewEvent(action), .cancel)
                TimerThread.shared.after(delay) {
                    event.due.withLock { $0 = .now }
                    event.task.cancel(reason: "event \(number)")
                }
            }
            event.task.onCompletion { _ in event.end.withLock { $0 = .now } }
            sent.append(event)
            if number.isMultiple(of: 10) { try await Task.sleep(for: .milliseconds(20)) }
        }
        return sent
    }

    /// Kills and stops the worker at random moments, until the task is cancelled.
    private func injectFaults(
        _ seed: UInt64,
        _ viewModel: ViewModel<UnrulyFeature>,
        _ outages: Watched<Outages>
    ) async {
        var generator = SeededGenerator(seed: seed &+ 1)
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(Int.random(in: 100...700, using: &generator)))
            guard let process = try? servingProcess(viewModel) else { continue }
            let start = Instant.now
            let kind = Int.random(in: 0..<4, using: &generator)
            kill(process, kind < 2 ? SIGKILL : SIGSTOP)
            if kind == 2 {
                try? await Task.sleep(for: .milliseconds(Int.random(in: 1...200, using: &generator)))
                kill(process, SIGCONT)
            } else {
                try? await poll { Task.isCancelled || (try? servingProcess(viewModel)).map { $0 != process } ?? false }
                // Without a successor the process may still be stopped, and is not awaited any more.
                if (try? servingProcess(viewModel)) == process { kill(process, SIGKILL) }
            }
            outages.change { $0.times.append(start..<max(start, .now)) }
        }
    }

    /// Checks that the outcome fits to what the test has asked for.
    private func check(_ event: Sent, _ number: Int, _ seed: UInt64) {
        let name: Comment = "event \(number) of LATTICE_SEED=\(seed)"
        switch event.task.outcome {
        case .cancelled(let cancellation):
            switch event.request {
            case .deadline: #expect(cancellation.canceller == .deadline, name)
            case .cancel:
                #expect(cancellation.stage != .unknown, name)
                #expect(cancellation.canceller == .sender, name)
                // A worker that was stopped gets many cancels before their events, and keeps the first reasons only.
                #expect(["event \(number)", ""].contains(cancellation.reason), name)
            }
        case .rejected(let rejection):
            // Two faults may hit the turn of one event, which is quarantined then.
            let isExpected =
                rejection.code == .quarantined || rejection.code == .deadlinePassed && event.request == .deadline
            #expect(isExpected, "\(name): \(rejection)")
        case .finished, .interrupted: break
        case let outcome: Issue.record("\(name) ended \(String(describing: outcome))")
        }
    }

    /// Returns how late an event ended, or nil if it ended in time.
    private func lateness(
        of event: Sent,
        _ number: Int,
        _ outages: Outages,
        _ meter: LatenessMeter
    ) -> String? {
        guard let due = event.due.withLock(\.self), let end = event.end.withLock(\.self), due < end else { return nil }
        let isDisturbed = outages.contain(anyOf: due - .milliseconds(500)..<end) || wasInterrupted(event)
        let bound = isDisturbed ? Self.disturbedBound : Self.quietBound
        // A deadline is kept where the event was sent, so it waits for no worker.
        let outage = event.request == .cancel ? outages.time(in: due..<end) : .zero
        let excess = due.duration(to: end) - outage - bound
        // Looking for the lateness of the machine takes long, so it is done for the few events that need it.
        guard excess > .zero else { return nil }
        // Outcomes reach the program on the main actor, which other tests occupy for seconds.
        let main = meter.worstMainActorLateness(from: due, to: end)
        guard excess > main + meter.worstLateness(from: due - .milliseconds(100), to: end) * 10 else { return nil }
        return "event \(number) (\(event.request)): \(due.duration(to: end)), \(outage) of it without a worker, instead"
            + " of \(bound), with a main actor that was \(main) late"
    }

    private func wasInterrupted(_ event: Sent) -> Bool {
        if case .interrupted? = event.task.outcome { true } else { false }
    }

    /// Checks that the run was worth it.
    private func expectAllKinds(_ sent: [Sent]) {
        let cancellations = sent.compactMap { $0.task.outcome?.cancellation }
        #expect(cancellations.contains { $0.canceller == .deadline && $0.stage == .whileRunning })
        #expect(cancellations.contains { $0.canceller == .sender && $0.stage == .whileRunning })
        #expect(sent.contains { $0.task.outcome == .finished })
        #expect(sent.contains { wasInterrupted($0) })
    }
}

/// The times in which no worker served, or a worker was stopped.
private struct Outages: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// The outages that are over. They may overlap.
    var times: [Range<Instant>] = []
    private var start: Instant?

    mutating func begin() {
        if start == nil { start = .now }
    }

    mutating func end() {
        if let start { times.append(start..<max(start, .now)) }
        start = nil
    }

    func contain(anyOf range: Range<Instant>) -> Bool { times.contains { $0.overlaps(range) } }

    /// Returns the part of a range that lies in outages.
    func time(in range: Range<Instant>) -> Duration {
        var (total, last) = (Duration.zero, range.lowerBound)
        for time in times.sorted(by: { $0.lowerBound < $1.lowerBound }) where time.overlaps(range) {
            let from = max(time.lowerBound, last)
            let to = min(time.upperBound, range.upperBound)
            guard from < to else { continue }
            total += from.duration(to: to)
            last = to
        }
        return total
    }
}
