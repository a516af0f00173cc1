import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import Logging

/// Events that a worker applies: one after the other, and with many in flight.
@MainActor struct EchoBench {
    /// What sending some of them has taken.
    struct Figures {
        /// From a send to the event's end, if at most one was in flight.
        var latencies = Latencies()
        var duration = Duration.zero
    }

    let side: BenchSide
    let options: ProcessBenchOptions

    func run(into report: BenchReport) async throws {
        try EchoFeature.checkSizes(upTo: BenchScale.roundTrips + BenchScale.events + 2 * BenchScale.warmUp)
        try await withCoordinator(hosting: EchoFeature.self, configuration: .bench) { coordinator in
            switch side {
            case .session:
                let driver = SessionEchoDriver()
                let channel = try coordinator.openChannel(EchoFeature.self) { driver.receive(&$0) }
                try await driver.opened.value.get()
                try await measure(into: report) { try await driver.run($0, window: $1, over: channel) }
            case .viewModel:
                let driver = ViewModelEchoDriver(try await coordinator.viewModel(EchoFeature.self))
                try await measure(into: report) { try await driver.run($0, window: $1) }
            }
        }
    }

    /// - Parameter send: Sends so many events, at most `window` of them in flight, and returns when all have ended.
    private func measure(
        into report: BenchReport,
        _ send: @MainActor (_ count: Int, _ window: Int) async throws -> Figures
    ) async throws {
        if options.measures(.roundTrips) {
            _ = try await send(BenchScale.warmUp, 1)
            report.add(times: "round trip", try await send(BenchScale.roundTrips, 1).latencies, key: "rtt")
        }
        guard options.measures(.events) else { return }
        _ = try await send(BenchScale.warmUp, BenchScale.window)
        let duration = try await send(BenchScale.events, BenchScale.window).duration
        report.add(rate: "events", count: BenchScale.events, in: duration, key: "throughput_per_s")
    }
}

extension CoordinatorConfiguration {
    /// A worker that dies is a failure here, not something to survive.
    static var bench: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.restart.kind = .temporary
        configuration.logger.logLevel = .warning
        return configuration
    }
}
