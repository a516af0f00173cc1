import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import Logging

/// Runs a turn that does not end, and measures how long it takes until its worker is ended, and until its event is in
/// quarantine. The event has ended two workers by then.
@MainActor struct HangBench {
    /// The maximum time of a turn.
    private static let turn: Duration = .milliseconds(500)
    private static let timeout: Duration = .seconds(20)

    func run(into report: BenchReport) async throws {
        var configuration = CoordinatorConfiguration.bench.survivingDeaths
        configuration.restart.initialDelay = .zero
        // Events that go to quarantine are not logged either.
        configuration.logger.logLevel = .critical
        configuration.limits.turnTimeout = Self.turn
        try await withCoordinator(hosting: FaultyFeature.self, configuration: configuration) { coordinator in
            let faulty = try await coordinator.viewModel(FaultyFeature.self)
            var (ended, quarantined) = (Latencies(), Latencies())
            try await Rounds.run(BenchScale.hangs) { _ in
                try BenchError.check(await faulty.sendViewEvent(.add(1)).finish(), of: "an event before a hang")
                let times = try await hang(faulty)
                ended.record(times.ended)
                quarantined.record(times.quarantined)
            }
            let limit = "with a limit of \(Int(Self.turn / .milliseconds(1))) ms"
            report.add(times: "turn that does not end, until its worker is ended, \(limit)", ended, key: "hang_ended")
            report.add(times: "until its event is in quarantine", quarantined, key: "hang_quarantined")
        }
    }

    private func hang(_ faulty: ViewModel<FaultyFeature>) async throws -> (ended: Duration, quarantined: Duration) {
        let worker = try faulty.workerProcess
        let outcome = OneShot<EventOutcome>()
        let start = SuspendingClock.now
        faulty.sendViewEvent(.misbehave(.spin)).onCompletion { outcome.complete($0) }
        _ = try await faulty.status(after: worker, within: Self.timeout)
        let ended = start.duration(to: .now)
        let end = try await Deadline.run(within: Self.timeout, waitingFor: "the end of an event that hangs") {
            try await outcome.value
        }
        guard case .rejected(let rejection) = end, rejection.code == .quarantined else {
            throw BenchError("an event that hangs should go to quarantine, but its outcome is: \(end)")
        }
        return (ended, start.duration(to: .now))
    }
}
