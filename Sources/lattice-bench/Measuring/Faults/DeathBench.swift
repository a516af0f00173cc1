import Glibc
import LatticeCoordinator
import LatticeCore

/// Kills workers, and measures how long it takes until the coordinator shows it, and until another worker has served an
/// event.
@MainActor struct DeathBench {
    /// The time after which a worker is stable. When a worker dies earlier, the next one is started after a delay.
    private static let stableTime: Duration = .milliseconds(250)
    /// The maximum time until the coordinator notices a death, and until it has a worker again.
    private static let timeout: Duration = .seconds(20)

    /// The times after one death.
    private struct Death {
        let noticed: Duration
        let served: Duration
        /// The part of the time in which the supervisor waited.
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
        report.add(
            times: "death to serving, after a stable incarnation",
            deaths.afterStable.served,
            key: "death_stable"
        )
        report.add(
            times: "the same after a short incarnation, without its backoff",
            deaths.afterShort.served,
            key: "death_short"
        )
        report.add(
            figure: "ms of additional backoff after a short incarnation",
            deaths.afterShort.backoffs.median,
            decimals: 1,
            key: "death_short_backoff_ms"
        )
        // This is measured separately, because the large state would also be sent to the workers of the others.
        let large = try await measure(.hidden, configuration, isShort: false)
        report.add(
            times: "the same with a state of 10 MB, 100000 elements",
            large.afterStable.served,
            key: "death_10mb"
        )
        configuration.standby = true
        let standby = try await measure(.empty, configuration, isShort: false)
        report.add(
            times: "the same with an empty state and a standby worker",
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

    /// Kills the worker of a driver repeatedly.
    ///
    /// - Parameters:
    ///   - driver: Changes the state and checks that the change is shown.
    ///   - isShort: Whether each stable incarnation is followed by a short one, which is killed as soon as it has
    ///     served.
    private func measure(
        _ driver: KeyedDriver,
        isShort: Bool
    ) async throws -> (afterStable: Deaths, afterShort: Deaths) {
        var (afterStable, afterShort) = (Deaths(), Deaths())
        try await driver.change()
        try await Rounds.run(BenchScale.deaths) { _ in
            try await Task.sleep(for: Self.stableTime)
            let death = try await kill(driver)
            guard death.backoff == .zero else {
                throw BenchError(
                    "after a stable incarnation, a worker is started after \(death.backoff) and not immediately"
                )
            }
            afterStable.add(death)
            if isShort { afterShort.add(try await kill(driver)) }
        }
        return (afterStable, afterShort)
    }

    private func kill(_ driver: KeyedDriver) async throws -> Death {
        let worker = try driver.worker
        let start = SuspendingClock.now
        Glibc.kill(worker.processID, SIGKILL)
        let status = try await driver.viewModel.status(after: worker, within: Self.timeout)
        let noticed = start.duration(to: .now)
        try await Deadline.run(within: Self.timeout, waitingFor: "the next worker") { try await driver.change() }
        let served = start.duration(to: .now)
        guard try driver.worker.processID != worker.processID else { throw BenchError("the worker has not died") }
        return Death(noticed: noticed, served: served, backoff: status.backoff)
    }
}
