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
        try EchoFeature.checkSizes(upTo: max(BenchScale.roundTrips, BenchScale.events) + BenchScale.warmUp)
        if options.measures(.roundTrips) {
            let (figures, time) = try await measure(BenchScale.roundTrips, window: 1)
            report.add(times: "round trip", figures.latencies, key: "rtt")
            report.add(time: "round trip", time, count: BenchScale.roundTrips + BenchScale.warmUp, key: "rtt_cpu_us")
        }
        guard options.measures(.events) else { return }
        let (figures, time) = try await measure(BenchScale.events, window: BenchScale.window)
        report.add(rate: "events", count: BenchScale.events, in: figures.duration, key: "throughput_per_s")
        report.add(time: "event", time, count: BenchScale.events + BenchScale.warmUp, key: "throughput_cpu_us")
    }

    /// Sends so many events, at most `window` of them in flight, after some to warm up, to a worker of their own.
    private func measure(_ count: Int, window: Int) async throws -> (Figures, ProcessorTime) {
        try await ProcessorTime.measuring {
            try await withCoordinator(hosting: EchoFeature.self, configuration: .bench) { coordinator in
                switch side {
                case .session:
                    let driver = SessionEchoDriver()
                    let channel = try coordinator.openChannel(EchoFeature.self) { driver.receive($0) }
                    try await driver.opened.value.get()
                    _ = try await driver.run(BenchScale.warmUp, window: window, over: channel)
                    return try await driver.run(count, window: window, over: channel)
                case .viewModel:
                    let driver = ViewModelEchoDriver(try await coordinator.viewModel(EchoFeature.self))
                    _ = try await driver.run(BenchScale.warmUp, window: window)
                    return try await driver.run(count, window: window)
                }
            }
        }
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

    /// The same where workers are killed: they are started again, and their deaths are no news.
    var survivingDeaths: CoordinatorConfiguration {
        var configuration = self
        configuration.restart = RestartPolicy()
        configuration.logger.logLevel = .error
        return configuration
    }
}
