public import LatticeActors
import LatticeCalls
import LatticeConcurrency
public import LatticeCoordinator

extension LatticeActorSystem {
    /// Runs a closure with a pool that runs jobs in the workers of a group.
    ///
    /// When the closure returns, waiting jobs end with the code `closed`, and running jobs are cancelled. The function
    /// returns when these have ended, at most their grace period later.
    ///
    /// - Parameters:
    ///   - group: The name of a group of the coordinator that was created with `WorkerGroup(_:workers:)`. Its workers
    ///     host jobs with `host(jobs:in:)`.
    ///   - coordinator: The coordinator, for which this system was created.
    ///   - configuration: The settings of the pool.
    ///   - isolation: The isolation of the caller. Do not pass it.
    ///   - body: Runs jobs in the pool.
    /// - Returns: The result of `body`.
    /// - Throws: Any error that `body` throws. ``JobError`` with the code `invalid` for an invalid setting.
    ///   `ActorCallError` with the code `refused` if the group has another pool.
    public func withJobPool<Result>(
        of group: String,
        in coordinator: Coordinator,
        configuration: JobPoolConfiguration = JobPoolConfiguration(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (JobPool) async throws -> Result
    ) async throws -> Result {
        try configuration.check()
        register(errors: ProgramError.self)
        let pool = JobPool(of: group, in: coordinator, self, configuration)
        let name = JobActorNames.desk(of: group)
        try host(name) { JobDesk(of: pool, actorSystem: $0) }
        // Not a child task: if the caller is cancelled, running jobs still get their grace period. Task-local values of
        // the caller, such as its deadline, do not apply to jobs.
        let engine = Task.detached(executorPreference: ThreadPool.shared) { await pool.serve() }
        func end() async {
            await pool.close()
            engine.cancel()
            await engine.value
            withdraw(name)
        }
        do {
            let result = try await body(pool)
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }
}

extension JobPool {
    /// The interval before the list of workers is requested again after a refusal.
    private static let memberPause: Duration = .milliseconds(20)

    /// Runs attempts and follows the list of workers, until the task is cancelled.
    func serve() async {
        let executor = EventLoopTaskExecutor(coordinator.eventLoop)
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in await followMembers() }
            for await order in orders {
                group.addTask(executorPreference: executor) { [self] in await run(order) }
            }
        }
    }

    private func followMembers() async {
        let name = JobActorNames.runner(in: group)
        let watched = system.node.watch(name)
        defer { watched.end() }
        var (status, version) = watched.current
        while !Task.isCancelled {
            switch status {
            case .listed(let places):
                let members = places.compactMap { LatticeActorID($0, name: name) }
                update { core in
                    core.queue.serve(members)
                    // Workers that ended otherwise are forgotten.
                    if !core.jobCounts.isEmpty { core.jobCounts = core.jobCounts.filter { members.contains($0.key) } }
                    if !core.retiring.isEmpty { core.retiring = core.retiring.filter { members.contains($0.key) } }
                }
            case .refused:
                // The loop ends when the task is cancelled, so the error is not needed.
                try? await ContinuousClock().wait(for: Self.memberPause)
                watched.refresh()
            case .asked, .unconnected, .lost, .ended: break
            }
            (status, version) = await watched.next(after: version)
        }
    }

    /// Takes no more jobs, ends those that wait, cancels those that run, and waits until they have ended.
    func close() async {
        let closing = OneShot<Void>()
        let (notices, running) = core.withLock { core -> ([Notice], [JobID]) in
            core.closing = closing
            var notices: [Notice] = []
            for (id, record) in core.records where record.attempt == nil {
                if case .delayed(let timer) = record.phase { TimerThread.shared.cancel(timer) }
                _ = core.queue.remove(id)
                notices.append(end(record, .failure(.closed(record.name)), &core))
            }
            return (notices, Array(core.records.keys))
        }
        for notice in notices { notice.send(system) }
        if running.isEmpty { closing.complete(()) }
        for id in running { cancel(id) }
        // The caller may be cancelled, and waits nevertheless.
        await Task(executorPreference: ThreadPool.shared) { _ = await closing.wait() }.value
    }
}
