/// When a pool replaces a worker by a new one, for jobs that leak memory or other resources.
///
/// ```swift
/// var configuration = JobPoolConfiguration()
/// configuration.reuse = .jobs(100)
/// ```
///
/// A worker is replaced between two jobs, so no job is lost. If it runs several at a time, it takes no further ones,
/// and is replaced when it has none. Its process is killed, and the next one starts at once and does not count against
/// the restart limit of its group.
public struct WorkerReuse: Sendable, Hashable {
    /// The number of jobs that a worker runs, at least 1, or nil for any number.
    public var maximumJobs: Int?
    /// The memory in bytes that a worker may have when a job has ended, at least ``JobLimits/minimumMemoryBytes``, or
    /// nil for any size. It is measured after each job, which takes some microseconds, and includes the memory of jobs
    /// that still run there.
    public var maximumMemoryBytes: Int?

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - maximumJobs: The number of jobs that a worker runs, or nil.
    ///   - maximumMemoryBytes: The memory that a worker may have when a job has ended, or nil.
    public init(maximumJobs: Int? = nil, maximumMemoryBytes: Int? = nil) {
        self.maximumJobs = maximumJobs
        self.maximumMemoryBytes = maximumMemoryBytes
    }

    /// A worker runs jobs as long as it lives. This is the default.
    public static let unlimited = WorkerReuse()

    /// A worker is replaced after this number of jobs.
    public static func jobs(_ count: Int) -> WorkerReuse { WorkerReuse(maximumJobs: count) }

    /// A worker is replaced when it has more memory than this after a job.
    public static func memory(bytes: Int) -> WorkerReuse { WorkerReuse(maximumMemoryBytes: bytes) }

    func check() throws(JobError) {
        if let maximumJobs, maximumJobs < 1 {
            throw .invalid("reuse.maximumJobs of the pool is \(maximumJobs); choose 1 or more")
        }
        if let maximumMemoryBytes, maximumMemoryBytes < JobLimits.minimumMemoryBytes {
            throw .invalid(
                "reuse.maximumMemoryBytes of the pool is \(maximumMemoryBytes); choose \(JobLimits.minimumMemoryBytes) or more"
            )
        }
    }

    /// Returns why a worker is replaced after a job, as a predicate for the job, or nil if it takes further jobs.
    ///
    /// - Parameters:
    ///   - jobs: The number of jobs that the worker has run.
    ///   - memory: The memory of the worker in bytes, or nil if it is not known.
    func reasonToReplace(afterJobs jobs: Int, memory: Int?) -> String? {
        if let maximumJobs, jobs >= maximumJobs { return "was the last of \(jobs) that a worker runs" }
        guard let maximumMemoryBytes, let memory, memory > maximumMemoryBytes else { return nil }
        return "has left the worker with \(memory) bytes of memory, and it may have \(maximumMemoryBytes)"
    }
}
