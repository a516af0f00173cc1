import LatticeCoordinator
import LatticeCore

/// Measures how much of a core the coordinator and a worker use together, when idle and with one event per millisecond.
@MainActor struct LoadBench {
    private static let pace: Duration = .milliseconds(1)

    func run(into report: BenchReport) async throws {
        try await withCoordinator(hosting: EchoFeature.self, configuration: .bench) { coordinator in
            let viewModel = try await coordinator.viewModel(EchoFeature.self)
            let processes = [ProcessFigures.own, try viewModel.workerProcess]
            let driver = ViewModelEchoDriver(viewModel)
            _ = try await driver.run(BenchScale.warmUp, window: 1)
            let idle = try await share(of: processes) { try await Task.sleep(for: Self.pace * BenchScale.paced) }
            // The pacing of the bench itself is measured separately and subtracted.
            let clock = try await share(of: processes) { try await pace {} }
            let paced = try await share(of: processes) { try await pace { _ = try await driver.run(1, window: 1) } }
            report.add(figure: "% of a core, idle", 100 * idle, decimals: 2, key: "idle_cpu_percent")
            report.add(
                figure: "% of a core, 1,000 events a second",
                100 * max(0, paced - clock),
                decimals: 2,
                key: "paced_cpu_percent"
            )
        }
    }

    private func pace(_ body: () async throws -> Void) async throws {
        let start = SuspendingClock.now
        for count in 1...BenchScale.paced {
            try await body()
            try await Task.sleep(until: start + Self.pace * count, clock: .suspending)
        }
    }

    /// Returns the processor time of the processes as a share of the elapsed time.
    private func share(of processes: [ProcessFigures], _ body: () async throws -> Void) async throws -> Double {
        let start = SuspendingClock.now
        let before = try processes.map { try $0.processorTime() }
        try await body()
        let time = try zip(processes, before).reduce(0) { try $0 + $1.0.processorTime() - $1.1 }
        return Double(time) / (start.duration(to: .now) / .nanoseconds(1))
    }
}
