/// The order, the limits and the retries of a job.
public struct JobOptions: Sendable, Hashable, Codable {
    /// The rank of the job. A waiting job with a higher number starts first. Among jobs with the same number, the
    /// program of the pool and each other process that runs jobs there take turns. The jobs of one process start in the
    /// order in which they were submitted.
    public var priority: Int
    /// The key of the job, or nil. At most one job with the same key runs at a time.
    public var key: String?
    /// The limits of each attempt.
    public var limits: JobLimits
    /// The rules for running the job again after a failed attempt.
    public var retries: JobRetries

    /// Creates options. By default a job has priority 0, no key and no limits, and runs once.
    ///
    /// - Parameters:
    ///   - priority: The rank of the job. Higher numbers start first.
    ///   - key: The key of which at most one job runs at a time, or nil.
    ///   - limits: The limits of each attempt.
    ///   - retries: The rules for running the job again.
    public init(
        priority: Int = 0,
        key: String? = nil,
        limits: JobLimits = JobLimits(),
        retries: JobRetries = JobRetries()
    ) {
        self.priority = priority
        self.key = key
        self.limits = limits
        self.retries = retries
    }

    func check() throws(JobError) {
        try limits.check()
        try retries.check()
    }
}
