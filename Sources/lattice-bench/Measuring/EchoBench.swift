import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import Logging

/// Measures events that a worker applies, one after the other and with many in flight.
@MainActor struct EchoBench {
    /// The results of sending a number of events.
    struct Figures: Codable, Equatable, Sendable {
        /// The times from a send to the event's end, if at most one event was in flight.
        var latencies = Latencies()
        var duration = Duration.zero
    }

    let side: BenchSide
    let options: ProcessBenchOptions

    /// Runs the measurements with one worker. Its start counts towards the first measurement, and its end towards the
    /// last.
    func run(into report: BenchReport) async throws {
        try EchoFeature.checkSizes(upTo: BenchScale.roundTrips + BenchScale.events + 2 * BenchScale.warmUp)
        var start = ProcessorTime.now
        let events = try await withCoordinator(hosting: EchoFeature.self, configuration: .bench) { coordinator in
            let send = try await sender(coordinator)
            if options.measures(.roundTrips) {
                _ = try await send(BenchScale.warmUp, 1)
                report.add(times: "round trip", try await send(BenchScale.roundTrips, 1).latencies, key: "rtt")
                guard options.measures(.events) else { return Figures?.none }
                let end = ProcessorTime.now
                add("round trip", end - start, BenchScale.roundTrips, to: report, key: "rtt_cpu_us")
                start = end
            }
            _ = try await send(BenchScale.warmUp, BenchScale.window)
            return try await send(BenchScale.events, BenchScale.window)
        }
        guard let events else {
            return add("round trip", .now - start, BenchScale.roundTrips, to: report, key: "rtt_cpu_us")
        }
        report.add(rate: "events", count: BenchScale.events, in: events.duration, key: "throughput_per_s")
        add("event", .now - start, BenchScale.events, to: report, key: "throughput_cpu_us")
    }

    private func add(_ name: String, _ time: ProcessorTime, _ count: Int, to report: BenchReport, key: String) {
        report.add(time: name, time, count: count + BenchScale.warmUp, key: key)
    }

    /// Returns a function that sends a number of events with at most `window` of them in flight.
    private func sender(
        _ coordinator: Coordinator
    ) async throws -> @MainActor (_ count: Int, _ window: Int) async throws -> Figures {
        switch side {
        case .session:
            let driver = SessionEchoDriver()
            let channel = try coordinator.openChannel(EchoFeature.self) { driver.receive($0) }
            try await driver.opened.value.get()
            return { try await driver.run($0, window: $1, over: channel) }
        case .viewModel:
            let driver = ViewModelEchoDriver(try await coordinator.viewModel(EchoFeature.self))
            return { try await driver.run($0, window: $1) }
        }
    }
}

extension CoordinatorConfiguration {
    /// A configuration in which the death of a worker is an error.
    static var bench: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration()
        configuration.restart.kind = .temporary
        configuration.logger.logLevel = .warning
        configuration.observers = BenchInstruments.observers
        return configuration
    }

    /// A copy of the configuration for measurements that kill workers. Workers are started again, and their deaths are
    /// not logged.
    var survivingDeaths: CoordinatorConfiguration {
        var configuration = self
        configuration.restart = RestartPolicy()
        configuration.logger.logLevel = .error
        return configuration
    }
}
