import Glibc
import LatticeCoordinator
import LatticeCore

/// Workers are killed: how long until the coordinator shows it, and until another worker has served an event.
@MainActor struct DeathBench {
    /// A life of this length is stable. What is shorter is not: the next one is waited for.
    private static let stableTime: Duration = .milliseconds(250)
    /// How long the coordinator may take to notice a death, and to have a worker again.
    private static let limit: Duration = .seconds(20)

    /// What one death has cost.
    private struct Death {
        let noticed: Duration
        let served: Duration
        /// What the supervisor has waited of that.
        let backoff: Duration
    }

    private struct Deaths {
        var noticed = Latencies()
        var served = Latencies()
        var backoffs: [Double] = []

        mutating func add(_ death: Death) {
            noticed.record(death.noticed)
            served.record(death.served - death.backoff)
            backoffs.append(death.backoff / .milliseconds(1))
        }
    }

    func run(into report: BenchReport) async throws {
        var configuration = CoordinatorConfiguration.keyed.survivingDeaths
        configuration.restart.stableTime = Self.stableTime
        let deaths = try await measure(.empty, configuration)
        report.add(times: "death noticed", deaths.afterStable.noticed, key: "death_noticed")
        report.add(times: "death to serving, after a stable life", deaths.afterStable.served, key: "death_stable")
        report.add(
            times: "the same after a short life, without its backoff",
            deaths.afterShort.served,
            key: "death_short"
        )
        report.add(
            figure: "ms of backoff after a short life, on top of it",
            deaths.afterShort.backoffs.median,
            decimals: 1,
            key: "death_short_backoff_ms"
        )
        // Apart from the others: what is in its memory would be sent to each worker that they start.
        let large = try await measure(.hidden, configuration, isShort: false)
        report.add(
            times: "the same with a state of 10 MB, 100000 elements",
            large.afterStable.served,
            key: "death_10mb"
        )
        configuration.standby = true
        let standby = try await measure(.empty, configuration, isShort: false)
        report.add(
            times: "the same with an empty state, and a worker that stands by",
            standby.afterStable.served,
            key: "death_standby"
        )
    }

    private func measure(
        _ state: KeyedSize,
        _ configuration: CoordinatorConfiguration,
        isShort: Bool = true
    ) async throws -> (afterStable: Deaths, afterShort: Deaths) {
        try await withCoordinator(hosting: KeyedFeature.self, configuration: configuration) { coordinator in
            try await measure(try await KeyedDriver(state, in: coordinator), isShort: isShort)
        }
    }

    /// - Parameter isShort: Whether each stable life is followed by a short one, which ends as soon as it has served.
    private func measure(
        _ driver: KeyedDriver,
        isShort: Bool
    ) async throws -> (afterStable: Deaths, afterShort: Deaths) {
        var (afterStable, afterShort) = (Deaths(), Deaths())
        try await driver.change()
        try await Rounds.run(BenchScale.deaths) { _ in
            try await Task.sleep(for: Self.stableTime)
            let death = try await kill(driver)
            guard death.backoff == .zero else { throw BenchError("after a stable life a worker is started at once") }
            afterStable.add(death)
            if isShort { afterShort.add(try await kill(driver)) }
        }
        return (afterStable, afterShort)
    }

    private func kill(_ driver: KeyedDriver) async throws -> Death {
        let worker = try driver.worker
        let start = SuspendingClock.now
        Glibc.kill(worker.processID, SIGKILL)
        let status = try await driver.viewModel.status(after: worker, within: Self.limit)
        let noticed = start.duration(to: .now)
        try await Deadline.run(within: Self.limit, waitingFor: "the next worker") { try await driver.change() }
        let served = start.duration(to: .now)
        guard try driver.worker.processID != worker.processID else { throw BenchError("the worker has not died") }
        return Death(noticed: noticed, served: served, backoff: status.backoff)
    }
}
