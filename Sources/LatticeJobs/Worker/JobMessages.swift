/// An attempt of a job, as the pool sends it to a worker.
struct JobOrder: Codable, Sendable {
    /// The random number of the attempt, which only its worker and its pool know. Reports about the attempt have it.
    let number: UInt64
    let job: JobID
    /// The name of the job.
    let name: String
    /// The number of the attempt among those of the job, from 1.
    let attempt: Int
    /// The time that the job has to end after it was cancelled.
    let gracePeriod: Duration
    /// Whether the job has a limit of silence, so that each line that it prints, and each output of its program, is a
    /// sign of life.
    var isSilenceLimited = false
    /// Whether the lines of the job are read.
    var lines = LineReading.later
    /// The encoded job.
    let input: [UInt8]
}

/// How an attempt ended in its worker.
enum JobReply: Codable, Sendable {
    /// The job returned an output, which is encoded.
    case returned([UInt8], JobProgress?)
    /// The job threw an error.
    case threw(ThrownError, JobProgress?)
    /// The job could not be run, or its output cannot be encoded, for the reason in this clause.
    case refused(String)
}

/// An error that a job threw.
struct ThrownError: Codable, Sendable {
    /// The maximum size of `text`, in bytes of UTF-8.
    static let maximumText = 4096

    /// The name of the type, such as "Missing".
    let type: String
    /// The name of the type including its module, by which it is registered.
    let name: String
    /// The description of the error.
    let text: String
    /// The encoded error, or nil if its type is not registered.
    let encoded: [UInt8]?
}

/// The names under which actors of this module are hosted.
enum JobActorNames {
    /// The name of the runners in the workers of a group.
    static func runner(in group: String) -> String { "lattice.jobs.runner/\(group)" }
    /// The name of the desk of the pool of a group.
    static func desk(of group: String) -> String { "lattice.jobs.desk/\(group)" }
}
