import Glibc
import LatticeClient
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeToolSupport

/// Measures how long after its deadline an event of a client ends whose effect runs in a worker: while all processes
/// run, and while the worker is killed and stopped again and again.
@MainActor struct DeadlineBench {
    /// The deadlines are up to this long after an event is sent, in milliseconds.
    private static let maximum = 400
    /// The number of events that are sent at once. Then as many milliseconds pass, so that no queue is measured.
    private static let burst = 10
    /// The time for which a worker is stopped, in milliseconds. In each case it is longer than the deadlines of some
    /// events.
    private static let stops = 100...1_000

    func run(into report: BenchReport) async throws {
        try await measure(into: report, "end of an event with an effect, after its deadline", key: "deadline")
        try await measure(
            into: report,
            "the same while the worker is killed and stopped",
            key: "disturbed_deadline",
            isDisturbed: true
        )
    }

    private func measure(
        into report: BenchReport,
        _ title: String,
        key: String,
        isDisturbed: Bool = false
    ) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/bench.sock"
            try await withCoordinator(
                hosting: HoldFeature.self,
                listeningAt: path,
                configuration: isDisturbed ? .unsteady : .bench
            ) { coordinator in
                let own = try await coordinator.viewModel(HoldFeature.self)
                try await withClient(connectingTo: path) { client in
                    let viewModel = try await client.viewModel(HoldFeature.self)
                    let faults = isDisturbed ? Task { try await injectFaults(own) } : nil
                    defer { faults?.cancel() }
                    let latencies = try await measure(viewModel, isDisturbed)
                    report.add(times: title, latencies, key: key)
                    report.add(
                        figure: "ms of the latest of \(BenchScale.deadlines) events",
                        latencies.maximum / 1_000_000,
                        decimals: 1,
                        key: "\(key)_latest_ms"
                    )
                }
            }
        }
    }

    private func measure(_ viewModel: ViewModel<HoldFeature>, _ isDisturbed: Bool) async throws -> Latencies {
        let latencies = Locked(Latencies())
        var (generator, events) = (SystemRandomNumberGenerator(), [EventTask]())
        for number in 0..<BenchScale.deadlines {
            let deadline = ContinuousClock.now + .milliseconds(Int.random(in: 1...Self.maximum, using: &generator))
            let event = viewModel.sendViewEvent(.hold(number), deadline: deadline)
            event.onCompletion { _ in
                let lateness = deadline.duration(to: .now)
                // The event of a worker that was killed ends before its deadline.
                if lateness > .zero { latencies.withLock { $0.record(lateness) } }
            }
            events.append(event)
            if number.isMultiple(of: Self.burst) { try await Task.sleep(for: .milliseconds(Self.burst)) }
        }
        for event in events {
            switch await event.finish() {
            case .cancelled, .rejected: break
            case .interrupted where isDisturbed: break
            case let outcome: throw BenchError("an event should end at its deadline, but its outcome is: \(outcome)")
            }
        }
        return latencies.withLock(\.self)
    }

    /// Kills the worker, or stops it for a while, again and again until the task is cancelled.
    private func injectFaults(_ viewModel: ViewModel<HoldFeature>) async throws {
        var generator = SystemRandomNumberGenerator()
        while true {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...700, using: &generator)))
            guard case .serving(let worker) = viewModel.hostStatus else { continue }
            guard Bool.random(using: &generator) else {
                kill(worker.processID, SIGKILL)
                continue
            }
            kill(worker.processID, SIGSTOP)
            defer { kill(worker.processID, SIGCONT) }
            try await Task.sleep(for: .milliseconds(Int.random(in: Self.stops, using: &generator)))
        }
    }
}

extension CoordinatorConfiguration {
    /// The configuration of measurements whose worker is killed without end.
    fileprivate static var unsteady: CoordinatorConfiguration {
        var configuration = bench.survivingDeaths
        configuration.restart = .withoutLimit
        return configuration
    }
}
