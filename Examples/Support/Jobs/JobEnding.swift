package import ArgumentParser

/// The way in which a job has ended.
package enum JobEnding: Sendable {
    /// The job is done. The incarnation is that of the worker that finished it, or nil if that worker is gone.
    case done(incarnation: UInt64?)
    /// The job cannot continue for this reason.
    case failed(String)
    /// A signal with this number has ended the job.
    case signal(Int32)

    /// Reports why the job is not done.
    ///
    /// - Parameter program: The name of the program for the message.
    /// - Returns: The exit code, or nil if the job is done.
    package func tell(as program: String) -> ExitCode? {
        switch self {
        case .done: return nil
        case .signal(let number): return ExitCode(128 + number)
        case .failed(let reason):
            StatusLine.say("\(program): \(reason)")
            return ExitCode(1)
        }
    }
}
