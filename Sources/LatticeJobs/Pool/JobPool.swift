import LatticeActors
import LatticeCalls
import LatticeCoding
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore

/// Runs jobs in the workers of a group, in each worker one job at a time, or as many as its configuration says.
///
/// You get a pool from `LatticeActorSystem.withJobPool(of:in:)`, in the process of the coordinator:
///
/// ```swift
/// try await withCoordinator(configuration: configuration) { coordinator in
///     let system = LatticeActorSystem(coordinator)
///     try await system.withJobPool(of: "farm", in: coordinator) { farm in
///         let size = try await farm.run(Compress(path: path))
///         print(size)
///     }
/// }
/// ```
///
/// Each job ends exactly once, with its output or with a ``JobError``. A job that crashes, hangs or uses too much
/// memory costs its own worker. It leaves other jobs alone, except that jobs which share a worker begin again
/// (``JobPoolConfiguration/jobsPerWorker``). While a job runs, the death of its worker does not count against the
/// restart limit of the group.
///
/// While the jobs of a worker are short, below 5 ms, the pool sends the next one to it ahead, so that the worker has it
/// when the one before ends. The job still waits: its limits count from its begin, and if the worker ends, it has not
/// begun and runs elsewhere. If the job before it is not short after all, it is taken back. A job that is submitted
/// later does not overtake it, whatever its priority.
public final class JobPool: Sendable {
    /// The numbers of jobs and workers of a pool.
    public struct Counts: Sendable, Hashable {
        /// The number of jobs that wait for a worker or for their next attempt.
        public let waiting: Int
        /// The number of running jobs.
        public let running: Int
        /// The number of jobs that were set aside.
        public let setAside: Int
        /// The number of workers that take jobs.
        public let workers: Int
    }

    struct Core {
        var queue: JobQueueState<LatticeActorID>
        /// The jobs that have not ended.
        var records: [JobID: JobRecord] = [:]
        /// The jobs of the running attempts, by the numbers of the attempts.
        var attempts: [UInt64: JobID] = [:]
        var setAside: SetAsideJobs
        /// The number of jobs that each worker has run.
        var jobCounts: [LatticeActorID: Int] = [:]
        /// The workers that are replaced when their last job has ended, and why.
        var retiring: [LatticeActorID: String] = [:]
        var lastJob: UInt64 = 0
        var generator: SeededGenerator
        /// The timer of the next look at jobs that were sent ahead, if there are some.
        var aheadTimer: Timers.Key?
        /// Completed when no attempt runs any more. If it is not nil, the pool takes no jobs.
        var closing: OneShot<Void>?

        /// Returns the number of a new attempt. Reports are accepted from every process that knows the number, so it is
        /// random and does not come from the seed, which other random numbers would reveal.
        func unusedNumber() -> UInt64 {
            while true {
                let number = UInt64.random(in: 0...(.max))
                if attempts[number] == nil { return number }
            }
        }
    }

    let group: String
    let system: LatticeActorSystem
    let coordinator: Coordinator
    let configuration: JobPoolConfiguration
    let core: Locked<Core>
    /// The attempts that are to be sent, for the task that runs the pool.
    let (orders, orderContinuation) = AsyncStream.makeStream(of: AttemptOrder.self)

    init(
        of group: String,
        in coordinator: Coordinator,
        _ system: LatticeActorSystem,
        _ configuration: JobPoolConfiguration
    ) {
        self.group = group
        self.system = system
        self.coordinator = coordinator
        self.configuration = configuration
        core = Locked(
            Core(
                queue: JobQueueState(
                    maximumWaiting: configuration.maximumWaiting,
                    width: configuration.width,
                    places: configuration.jobsPerWorker,
                    // A worker that may be replaced after each job takes one at a time.
                    sendsAhead: configuration.reuse == .unlimited
                ),
                setAside: SetAsideJobs(maximum: configuration.maximumSetAside),
                generator: SeededGenerator(seed: .random(in: 0...(.max)))
            )
        )
    }

    // MARK: Jobs

    /// Runs a job and returns its output.
    ///
    /// Cancelling the calling task cancels the job. The function then returns when the job has ended, at most the grace
    /// period of its limits later.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - options: The order, limits and retries of the job, or nil for those of the pool's configuration.
    /// - Returns: The output of the job.
    /// - Throws: ``JobError`` if the job has no output. `CancellationError` if the calling task was cancelled.
    public func run<J: Job>(_ job: J, options: JobOptions? = nil) async throws -> J.Output {
        try Task.checkCancellation()
        // There is no handle that could read the lines.
        return try await submit(job, options, lines: .never).run()
    }

    /// Adds a job to the queue and returns at once.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - options: The order, limits and retries of the job, or nil for those of the pool's configuration.
    /// - Returns: A handle to follow the job, to cancel it, and to get its output.
    /// - Throws: ``JobError`` with the code `overloaded` if the queue is full, `invalid` if an option is invalid,
    ///   `refused` if the job cannot be encoded, and `closed` if the pool has ended.
    public func submit<J: Job>(_ job: J, options: JobOptions? = nil) throws(JobError) -> JobHandle<J> {
        try submit(job, options, lines: .later)
    }

    private func submit<J: Job>(
        _ job: J,
        _ options: JobOptions?,
        lines: LineReading
    ) throws(JobError) -> JobHandle<J> {
        let input: [UInt8]
        do {
            input = try CBOREncoder().encode(job)
        } catch {
            throw .unencodable(J.name, error)
        }
        let submitted = try submit(J.name, input, options ?? configuration.options, lines: lines)
        return JobHandle(id: submitted.id, submitted: submitted, pool: self)
    }

    /// Adds an encoded job of a client to the queue.
    func submit(
        _ name: String,
        _ input: [UInt8],
        _ options: JobOptions,
        of client: CallerIdentity? = nil,
        lines reading: LineReading = .later,
        in company: JobCompany = .shared
    ) throws(JobError) -> SubmittedJob {
        try options.check()
        let (submitted, starts) = try core.withLock { core throws(JobError) in
            guard core.closing == nil else { throw .closed(name) }
            let id = JobID(core.lastJob + 1)
            let submitted = SubmittedJob(id: id, lines: JobLineBox(reading: reading))
            let isAdded = core.queue.add(
                submitted.id,
                priority: options.priority,
                key: options.key,
                of: client,
                in: options.limits.measureWorker ? .alone : company
            )
            guard isAdded else { throw .overloaded(core.queue.maximumWaiting) }
            core.lastJob += 1
            core.records[submitted.id] = JobRecord(name: name, input: input, options: options, submitted: submitted)
            return (submitted, begin(&core))
        }
        send(starts)
        return submitted
    }

    // MARK: Width

    /// Changes the maximum number of jobs that run at a time. Running jobs are not affected, and jobs that were sent to
    /// their workers ahead are taken back as in ``pause()``.
    ///
    /// `Coordinator.setWorkers(of:to:)` changes the number of workers. A worker that leaves finishes its job first, for
    /// at most the shutdown timeout of its group.
    ///
    /// - Parameter width: The number, at least 1, or nil for as many as the workers of the group take.
    /// - Throws: ``JobError`` with the code `invalid` for a number below 1.
    public func setWidth(_ width: Int?) throws(JobError) {
        if let width, width < 1 { throw .invalid("the width of a pool is at least 1, and not \(width)") }
        update { $0.queue.setWidth(width) }
    }

    /// Lets no further job start until ``resume()`` is called. Running jobs continue, and jobs can be submitted.
    /// Retries wait as well. Jobs that were sent to their workers ahead are taken back, and may start until the workers
    /// know that.
    public func pause() {
        update { $0.queue.setPaused(true) }
    }

    /// Lets jobs start again after ``pause()``. The function does nothing if the pool is not paused.
    public func resume() {
        update { $0.queue.setPaused(false) }
    }

    /// A Boolean value that indicates whether the pool is paused.
    public var isPaused: Bool { core.withLock(\.queue.isPaused) }

    /// The numbers of jobs and workers at the moment.
    public var counts: Counts {
        core.withLock { core in
            Counts(
                waiting: core.queue.waitingCount,
                running: core.queue.runningCount,
                setAside: core.setAside.jobs.count,
                workers: core.queue.memberCount
            )
        }
    }

    // MARK: Jobs that were set aside

    /// The jobs that ended as many workers as they may, in the order in which they were set aside.
    public var setAsideJobs: [SetAsideJob] { core.withLock(\.setAside.jobs) }

    /// Runs a job again that was set aside. It is a new job with a new identity, and may end as many workers again. It
    /// has its worker to itself.
    ///
    /// - Parameters:
    ///   - id: The identity of the job that was set aside.
    ///   - type: The type of the job.
    /// - Returns: A handle to the new job.
    /// - Throws: ``JobError`` with the code `invalid` if no such job of this type is set aside, and the errors of
    ///   ``submit(_:options:)``, after which the job is still set aside.
    public func retry<J: Job>(_ id: JobID, as type: J.Type) throws(JobError) -> JobHandle<J> {
        let job = try core.withLock { core throws(JobError) in try core.setAside.remove(id, named: type.name) }
        do throws(JobError) {
            let submitted = try submit(job.name, job.input, job.options, in: .alone)
            return JobHandle(id: submitted.id, submitted: submitted, pool: self)
        } catch {
            core.withLock { $0.setAside.add(job) }
            throw error
        }
    }

    /// Forgets a job that was set aside.
    ///
    /// - Parameter id: The identity of the job.
    /// - Throws: ``JobError`` with the code `invalid` if no such job is set aside.
    public func drop(_ id: JobID) throws(JobError) {
        _ = try core.withLock { core throws(JobError) in try core.setAside.remove(id) }
    }
}
