import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeSession

/// Events of a bare channel, sent and checked on the reactor's thread, applied in a worker.
@MainActor struct SessionEchoBench {
    private let coordinator: Coordinator
    private let options: BenchOptions
    private let scale = BenchScale.ofEnvironment
    private let clock = SuspendingClock()

    init(_ coordinator: Coordinator, _ options: BenchOptions) {
        self.coordinator = coordinator
        self.options = options
    }

    func run(into report: BenchReport) async throws {
        try EchoFeature.checkSizes(upTo: scale.roundTrips + scale.events + 2 * scale.warmUp)
        let driver = EchoDriver()
        let channel = try coordinator.openChannel(EchoFeature.self) { driver.receive(&$0) }
        try await driver.opened.value.get()
        if options.measures(.roundTrips) {
            _ = try await driver.run(scale.warmUp, window: 1, over: channel)
            let roundTrips = try await driver.run(scale.roundTrips, window: 1, over: channel)
            report.add(times: "round trip", roundTrips.latencies, key: "rtt")
        }
        guard options.measures(.events) else { return }
        _ = try await driver.run(scale.warmUp, window: scale.window, over: channel)
        let row = try await driver.run(scale.events, window: scale.window, over: channel)
        report.add(rate: "events", count: scale.events, in: row.duration, key: "throughput_per_s")
    }
}
