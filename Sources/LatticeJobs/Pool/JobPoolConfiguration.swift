/// The settings of a ``JobPool``.
public struct JobPoolConfiguration: Sendable {
    /// The maximum number of jobs that wait, at least 1. Further jobs of all callers are refused with the code
    /// `overloaded`. The callers share the room, and take turns only with jobs that were accepted. Each waiting job
    /// keeps its encoded value in memory. The default is 65,536.
    public var maximumWaiting: Int
    /// The maximum number of jobs that run at a time, at least 1, or nil for as many as the workers of the group take.
    public var width: Int?
    /// The number of jobs that each worker runs at a time, from 1 to ``maximumJobsPerWorker``. The default is 1.
    ///
    /// With more, many small jobs need fewer processes. In exchange a worker that ends takes all of its jobs along:
    /// - A worker that is ended because one job passed a limit, or did not end after it was cancelled, interrupts the
    ///   others. They count no attempt, and wait again at their place in the order.
    /// - A worker that crashes or exits has no known culprit. Each of its jobs begins again, without counting an
    ///   attempt or a failure, and runs alone from then on. Only a job that ends a worker alone is to blame.
    ///
    /// So a job may begin again whatever its ``JobOptions/retries`` say. A job with a limit of CPU time or memory
    /// always has a worker to itself, because both are measured for the process.
    public var jobsPerWorker: Int
    /// The maximum number of jobs that are set aside, at least 1. If there is one more, the oldest one is dropped. The
    /// default is 256.
    public var maximumSetAside: Int
    /// The options of jobs that are submitted without options.
    public var options: JobOptions
    /// When a worker is replaced by a new one. By default, it never is.
    public var reuse: WorkerReuse

    /// The maximum of ``jobsPerWorker``: 64. Each job has a thread of its worker to itself.
    public static var maximumJobsPerWorker: Int { 64 }
    /// The number of attempts of a job that others may interrupt. After that the job runs alone, so that jobs which
    /// pass their limits one after the other cannot keep it from its end. An attempt of a job that shares its worker
    /// therefore begins at most once more than that.
    package static let maximumInterruptions = 3

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - width: The maximum number of jobs that run at a time, or nil for as many as the workers of the group take.
    ///   - jobsPerWorker: The number of jobs that each worker runs at a time.
    ///   - maximumWaiting: The maximum number of jobs that wait.
    ///   - maximumSetAside: The maximum number of jobs that are set aside.
    ///   - options: The options of jobs that are submitted without options.
    ///   - reuse: When a worker is replaced by a new one.
    public init(
        width: Int? = nil,
        jobsPerWorker: Int = 1,
        maximumWaiting: Int = 65_536,
        maximumSetAside: Int = 256,
        options: JobOptions = JobOptions(),
        reuse: WorkerReuse = .unlimited
    ) {
        self.width = width
        self.jobsPerWorker = jobsPerWorker
        self.maximumWaiting = maximumWaiting
        self.maximumSetAside = maximumSetAside
        self.options = options
        self.reuse = reuse
    }

    func check() throws(JobError) {
        for (name, number) in [
            ("width", width), ("maximumWaiting", maximumWaiting), ("maximumSetAside", maximumSetAside),
        ] {
            if let number, number < 1 { throw .invalid("\(name) of the pool is \(number); choose 1 or more") }
        }
        guard 1...Self.maximumJobsPerWorker ~= jobsPerWorker else {
            throw .invalid("jobsPerWorker of the pool is \(jobsPerWorker); choose 1 to \(Self.maximumJobsPerWorker)")
        }
        try options.check()
        try reuse.check()
    }
}
