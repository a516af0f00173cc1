import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import Logging

/// Measures round trips to a worker beside a worker of another group that misbehaves: it crashes repeatedly, computes
/// without end, or allocates memory until it is ended. The reference is the same load by a process that is not a
/// worker. A crashing worker costs more than such a process because it is served again each time. Therefore it is also
/// compared with a worker of another coordinator.
@MainActor struct NeighbourBench {
    /// Calls its second argument while there is a load. The first argument is the feature in the other group.
    private typealias Load =
        @MainActor (
            ViewModel<FaultyFeature>, _ body: @escaping @MainActor () async throws -> Latencies
        ) async throws -> Latencies

    private static let tripsAtOnce = 200

    func run(into report: BenchReport) async throws {
        let alone = try await measure { _, body in try await body() }
        report.add(times: "round trip beside an idle worker", alone, key: "beside_idle")
        for misbehaviour in Misbehaviour.allCases {
            report.add(
                comparison: "round trip beside a worker that \(misbehaviour.inWords), compared with such a process",
                try await compare(misbehaviour, with: "load"),
                key: "beside_\(misbehaviour.rawValue)"
            )
        }
        report.add(
            comparison: "the same with a worker that \(Misbehaviour.crash.inWords), compared with another"
                + " coordinator's",
            try await compare(.crash, with: "neighbour"),
            key: "beside_crash_elsewhere"
        )
    }

    /// Compares a worker that misbehaves with another process.
    ///
    /// - Parameters:
    ///   - misbehaviour: What the worker does.
    ///   - part: The command of the other process.
    private func compare(_ misbehaviour: Misbehaviour, with part: String) async throws -> Comparison {
        try await Comparison.measuring(BenchScale.comparisons) {
            try await measure { try await beside($0, doing: misbehaviour, $1) }.times
        } reference: {
            try await measure { _, body in
                try await OtherProcess.with("part", part, misbehaviour.rawValue) { _ in try await body() }
            }.times
        }
    }

    /// Runs a coordinator with only a worker that misbehaves, until this process is killed.
    static func runElsewhere(_ misbehaviour: Misbehaviour, whenReady: @Sendable () throws -> Void) async throws {
        try await withCoordinator(hosting: FaultyFeature.self, configuration: .neighbours) { coordinator in
            let faulty = try await coordinator.viewModel(FaultyFeature.self)
            try whenReady()
            try await keep(faulty, doing: misbehaviour)
        }
    }

    /// Measures round trips to a worker of a new coordinator.
    private func measure(
        under load: Load
    ) async throws -> Latencies {
        try await withCoordinator(
            hosting: EchoFeature.self,
            FaultyFeature.self,
            configuration: .neighbours
        ) { coordinator in
            let healthy = try await coordinator.viewModel(EchoFeature.self)
            let faulty = try await coordinator.viewModel(FaultyFeature.self)
            let worker = try healthy.workerProcess.processID
            let driver = ViewModelEchoDriver(healthy)
            _ = try await driver.run(BenchScale.warmUp, window: 1)
            let latencies = try await load(faulty) {
                var latencies = Latencies()
                let start = SuspendingClock.now
                repeat {
                    latencies.add(try await driver.run(Self.tripsAtOnce, window: 1).latencies)
                } while start.duration(to: .now) < BenchScale.comparisonTime
                return latencies
            }
            guard try healthy.workerProcess.processID == worker else { throw BenchError("the other worker has died") }
            return latencies
        }
    }

    private func beside<Result: Sendable>(
        _ faulty: ViewModel<FaultyFeature>,
        doing misbehaviour: Misbehaviour,
        _ body: @MainActor () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await Self.keep(faulty, doing: misbehaviour) }
            defer { group.cancelAll() }
            let result = try await body()
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    /// Makes the worker misbehave repeatedly until the task is cancelled.
    private static func keep(_ faulty: ViewModel<FaultyFeature>, doing misbehaviour: Misbehaviour) async throws {
        while !Task.isCancelled {
            let start = SuspendingClock.now
            let ended = OneShot<EventOutcome>()
            faulty.sendViewEvent(.misbehave(misbehaviour)).onCompletion { ended.complete($0) }
            // The task was cancelled. A computing worker would not react to a cancellation.
            guard let outcome = await ended.wait() else { return }
            guard case .interrupted = outcome else {
                throw BenchError(
                    "a worker should have died, but the outcome is: \(outcome)"
                )
            }
            try? await Task.sleep(until: start + Misbehaviour.pace, clock: .suspending)
        }
    }
}

extension CoordinatorConfiguration {
    /// A configuration in which the misbehaving worker has its own group, is restarted immediately without limit, and
    /// is not given time to finish.
    fileprivate static var neighbours: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration.bench
        configuration.drainTimeout = .zero
        configuration.teardownTimeout = .milliseconds(100)
        configuration.logger.logLevel = .critical
        var group = WorkerGroup("faulty", of: FaultyFeature.self)
        group.limits = WorkerLimits(memoryBytes: Misbehaviour.memoryLimit)
        group.restart = .withoutLimit
        configuration.groups = [group]
        return configuration
    }
}

extension RestartPolicy {
    /// A policy that restarts a worker immediately, however often it ends.
    static var withoutLimit: RestartPolicy {
        var policy = RestartPolicy()
        policy.initialDelay = .zero
        policy.maximumDelay = .milliseconds(1)
        policy.intensity.restarts = .max
        policy.maximumFailedStarts = .max
        return policy
    }
}
