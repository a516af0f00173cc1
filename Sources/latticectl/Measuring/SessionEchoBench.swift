import LatticeCoordinator
import LatticeCore
import LatticeSession

/// Events of a bare channel, sent and checked on the reactor's thread, applied in a worker.
@MainActor struct SessionEchoBench {
    private let coordinator: Coordinator
    private let scale = BenchScale.ofEnvironment
    private let clock = SuspendingClock()

    init(_ coordinator: Coordinator) {
        self.coordinator = coordinator
    }

    func run(into report: BenchReport) async throws {
        try EchoFeature.checkSizes(upTo: scale.roundTrips + scale.events + 2 * scale.warmUp)
        let driver = EchoDriver()
        let channel = coordinator.openChannel(EchoFeature.self) { driver.receive($0) }
        try await driver.opened.value
        _ = try await driver.run(scale.warmUp, window: 1, over: channel)
        let roundTrips = try await driver.run(scale.roundTrips, window: 1, over: channel)
        report.add(times: "round trip", roundTrips.latencies, key: "rtt")
        _ = try await driver.run(scale.warmUp, window: scale.window, over: channel)
        let row = try await driver.run(scale.events, window: scale.window, over: channel)
        report.add(rate: "events", count: scale.events, in: row.duration, key: "throughput_per_s")
    }
}
