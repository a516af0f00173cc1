import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import Logging

/// Round trips to a worker beside one of another group that crashes again and again, computes for ever, or takes memory
/// until it is ended, again and again; set against those beside the same load of processes that are no workers.
@MainActor struct NeighbourBench {
    /// Calls its second argument while there is a load; the first is the feature in another group.
    private typealias Load =
        @MainActor (
            ViewModel<FaultyFeature>, _ body: @escaping @MainActor () async throws -> Latencies
        ) async throws -> Latencies

    private static let tripsAtOnce = 200

    func run(into report: BenchReport) async throws {
        let alone = try await measure { _, body in try await body() }
        report.add(times: "round trip, with an idle worker beside it", alone, key: "beside_idle")
        for misbehaviour in Misbehaviour.allCases {
            let comparison = try await Comparison.measuring(BenchScale.comparisons) {
                try await measure { try await beside($0, doing: misbehaviour, $1) }.times
            } reference: {
                try await measure { _, body in
                    try await OtherProcess.with("part", "load", misbehaviour.rawValue) { _ in try await body() }
                }.times
            }
            report.add(
                comparison: "round trip beside a worker that \(misbehaviour.inWords), against such a process",
                comparison,
                key: "beside_\(misbehaviour.rawValue)"
            )
        }
    }

    /// Round trips of a worker of a coordinator of its own.
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
            group.addTask { try await keep(faulty, doing: misbehaviour) }
            defer { group.cancelAll() }
            let result = try await body()
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }

    /// Until it is cancelled.
    private func keep(_ faulty: ViewModel<FaultyFeature>, doing misbehaviour: Misbehaviour) async throws {
        while !Task.isCancelled {
            let start = SuspendingClock.now
            let ended = OneShot<EventOutcome>()
            faulty.sendViewEvent(.misbehave(misbehaviour)).onCompletion { ended.complete($0) }
            // Cancelled: a worker that computes does not hear of that.
            guard let outcome = await ended.wait() else { return }
            guard case .interrupted = outcome else { throw BenchError("a worker should have died, but: \(outcome)") }
            try? await Task.sleep(until: start + Misbehaviour.pace, clock: .suspending)
        }
    }
}

extension CoordinatorConfiguration {
    /// A worker in a group of its own that is started again at once, as often as it dies, and not waited for.
    fileprivate static var neighbours: CoordinatorConfiguration {
        var configuration = CoordinatorConfiguration.bench
        configuration.drainLimit = .zero
        configuration.teardownLimit = .milliseconds(100)
        configuration.logger.logLevel = .critical
        var group = WorkerGroup("faulty", of: FaultyFeature.self)
        group.limits = WorkerLimits(memoryBytes: Misbehaviour.memoryLimit)
        var restart = RestartPolicy()
        restart.initialDelay = .zero
        restart.maximumDelay = .milliseconds(1)
        restart.intensity = .max
        restart.bootIntensity = .max
        group.restart = restart
        configuration.groups = [group]
        return configuration
    }
}
