import LatticeActors
import LatticeConcurrency
import LatticeCoordinator

/// Measures computing jobs in a pool of several workers. The reference are threads of this process, one per core, among
/// which the same jobs are divided in advance. This is the best possible division.
@MainActor struct PoolBench {
    private static let counts = [1, 2, 4, 8]

    /// One call runs, and another one waits at the actor so that it can begin immediately.
    private static let callsPerActor = 2

    private let job = ComputingJob.ofMilliseconds(5)

    func run(into report: BenchReport) async throws {
        try await withCoordinator(configuration: .benchOfActors) { coordinator in
            let system = LatticeActorSystem(coordinator)
            for workers in Self.counts {
                try coordinator.setWorkers(of: EchoActor.group, to: workers)
                try await system.withPool(
                    of: EchoActor.self,
                    named: EchoActor.poolName,
                    callsPerActor: Self.callsPerActor
                ) { pool in
                    while pool.members.count != workers { try await Task.sleep(for: .milliseconds(10)) }
                    try await measure(workers, pool, into: report)
                }
            }
        }
    }

    private func measure(_ workers: Int, _ pool: ActorPool<EchoActor>, into report: BenchReport) async throws {
        _ = try await compute(in: pool, workers, count: 2 * workers)
        let comparison = try await Comparison.measuring(BenchScale.comparisons) {
            .init(once: try await compute(in: pool, workers, count: BenchScale.jobs))
        } reference: {
            .init(once: await split(among: min(workers, ComputingJob.cores), count: BenchScale.jobs))
        }
        report.add(
            figure: "\(BenchScale.jobs) jobs of 5 ms with \(workers) \(workers == 1 ? "worker" : "workers"), times a"
                + " perfect split",
            comparison.ratio(\.p50),
            decimals: 3,
            key: "pool_\(workers)_ratio"
        )
    }

    private func compute(in pool: ActorPool<EchoActor>, _ workers: Int, count: Int) async throws -> Duration {
        let start = SuspendingClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            // There are twice as many tasks as slots, so that a free slot always has a waiting call.
            let lanes = 2 * Self.callsPerActor * workers
            for lane in 0..<lanes {
                group.addTask(executorPreference: ThreadPool.shared) {
                    for _ in stride(from: lane, to: count, by: lanes) {
                        let result = try await pool.call { try await $0.compute(job) }
                        guard result == job.result else { throw BenchError("a job was answered with \(result)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        return start.duration(to: .now)
    }

    private func split(among threads: Int, count: Int) async -> Duration {
        let start = SuspendingClock.now
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask(executorPreference: ThreadPool.shared) {
                    for _ in stride(from: thread, to: count, by: threads) { precondition(job.run() == job.result) }
                }
            }
        }
        return start.duration(to: .now)
    }
}

extension Comparison.Times {
    fileprivate init(once duration: Duration) {
        let nanoseconds = duration / .nanoseconds(1)
        self.init(p50: nanoseconds, p99: nanoseconds)
    }
}
