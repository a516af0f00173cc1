/// A job that ended as many workers as it may, and does not run again until the program asks for it.
///
/// `JobPool.setAsideJobs` lists them. Fix the cause, then call `JobPool.retry(_:as:)`, or call `JobPool.drop(_:)`.
public struct SetAsideJob: Sendable, Hashable {
    /// The identity of the job.
    public let id: JobID
    /// The name of the job's type.
    public let name: String
    /// The options with which the job was submitted, and will be retried.
    public let options: JobOptions
    /// The failures of the job, with the reports about the workers that it ended, oldest first. At most the last
    /// ``JobError/maximumFailures`` are kept.
    public let failures: [JobFailure]
    /// The encoded job.
    let input: [UInt8]
}

/// The jobs that were set aside, in the order in which this happened.
struct SetAsideJobs: Sendable {
    /// The maximum number of jobs. The oldest one is dropped for one more.
    let maximum: Int
    private(set) var jobs: [SetAsideJob] = []

    init(maximum: Int) {
        self.maximum = maximum
    }

    mutating func add(_ job: SetAsideJob) {
        jobs.append(job)
        if jobs.count > maximum { jobs.removeFirst() }
    }

    /// Removes a job.
    ///
    /// - Parameter name: The name that the job must have, or nil for any name.
    mutating func remove(_ id: JobID, named name: String? = nil) throws(JobError) -> SetAsideJob {
        guard let index = jobs.firstIndex(where: { $0.id == id }) else { throw .unknown(id) }
        if let name, name != jobs[index].name { throw .otherType(id, jobs[index].name, not: name) }
        return jobs.remove(at: index)
    }
}
