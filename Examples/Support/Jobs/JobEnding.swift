package import ArgumentParser

/// How a job came to its end.
package enum JobEnding: Sendable {
    /// The life of the worker that came to the end; nil if that is gone by now.
    case done(incarnation: UInt64?)
    /// Why it cannot go on.
    case failed(String)
    case signal(Int32)

    /// Says why the job is not done.
    ///
    /// - Parameter program: Who says it.
    /// - Returns: What to exit with; nil if it is done.
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
