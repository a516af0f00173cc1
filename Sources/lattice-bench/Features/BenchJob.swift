import Glibc
import LatticeActors
import LatticeJobs

/// A job that waits for a time without computing, and returns its number.
struct BenchJob: Job {
    static let name = "bench"
    /// The arguments of the worker that hosts the job.
    static let workerArguments = ["jobs"]
    static let group = "jobs"

    var number: Int
    /// The time that the job takes, or zero for a job that does nothing.
    var microseconds: UInt32 = 0
    /// A Boolean value that indicates whether the job computes without end instead, as C code that hangs.
    var hangs = false

    func run(in context: JobContext) async throws -> Int {
        if hangs { while true { sched_yield() } }
        if microseconds > 0 { usleep(microseconds) }
        return number
    }
}
