public import LatticeActors

extension LatticeActorSystem {
    /// Hosts jobs in a worker, so that the pool of its group can run them here. Call this function once, before `run()`
    /// of the worker. A worker that runs programs only calls it without types, because every worker hosts
    /// ``ProgramJob``.
    ///
    /// ```swift
    /// if let worker = Worker.launchedBySupervisor() {
    ///     let system = LatticeActorSystem(worker)
    ///     try system.host(jobs: Compress.self, Verify.self, in: worker.group)
    ///     return try await worker.run()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - jobs: The types of the jobs.
    ///   - group: The name of the worker's group.
    /// - Throws: ``JobError`` with the code `invalid` if two types have the same name. `ActorCallError` if the function
    ///   was called before for the same group.
    public func host(jobs: any Job.Type..., in group: String) throws {
        try host(jobs: jobs, in: group)
    }

    /// Hosts jobs in a worker. This variant takes the types in an array.
    ///
    /// - Parameters:
    ///   - jobs: The types of the jobs.
    ///   - group: The name of the worker's group.
    /// - Throws: The errors of `host(jobs:in:)` with a list of types.
    public func host(jobs: [any Job.Type], in group: String) throws {
        register(errors: ProgramError.self)
        var table = JobTable()
        for type in jobs where !table.add(type) {
            throw JobError(.invalid, "Two jobs are called \"\(type.name)\". Give each type its own name.")
        }
        try host(JobActorNames.runner(in: group), on: .reader) { JobRunner(table, in: group, actorSystem: $0) }
    }
}
