/// A piece of work that runs in a worker process: the input as a value, and the function that computes the output.
///
/// ```swift
/// struct Compress: Job {
///     static let name = "compress"
///     var path: String
///
///     func run(in context: JobContext) async throws -> Int { try compress(path) }
/// }
/// ```
///
/// A ``JobPool`` sends the value to a worker, which finds the type by its ``name``. The worker must host the type
/// (`LatticeActorSystem.host(jobs:in:)`). The encoded value and the encoded output have at most 64 MiB each. For larger
/// data, pass the name of a file.
///
/// A job may run more than once if its pool retries it, or if it shares its worker with other jobs
/// (``JobPoolConfiguration/jobsPerWorker``), so it should be able to start over.
public protocol Job: Codable, Sendable {
    /// The result of the job.
    associatedtype Output: Codable & Sendable

    /// The name by which a worker finds the type. It must be the same in all programs, and unique among the jobs of a
    /// worker.
    static var name: String { get }

    /// Does the work, in a worker process.
    ///
    /// The function runs on a thread of its own and may compute and block for any time. It should end soon after its
    /// task was cancelled. If it does not, its worker process is killed after a grace period.
    ///
    /// - Parameter context: Receives progress reports, and says whether the job was cancelled.
    func run(in context: JobContext) async throws -> Output
}

/// The identity of a job in its pool.
public struct JobID: Sendable, Hashable, Codable, Comparable, CustomStringConvertible {
    /// The number of the job. A pool numbers its jobs from 1, in the order in which they were submitted.
    public let number: UInt64

    init(_ number: UInt64) {
        self.number = number
    }

    /// Returns whether the first job was submitted before the second one.
    public static func < (left: JobID, right: JobID) -> Bool { left.number < right.number }

    /// The words "job 7".
    public var description: String { "job \(number)" }
}
