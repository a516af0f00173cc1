import IssueReporting
import LatticeConcurrency

/// An effect whose work has not returned in the grace period after its timeout.
package struct OverdueEffect: Sendable {
    /// The allowed time, as the clock describes it.
    package let limit: String
    /// The time that the work had to return after it was cancelled.
    package let grace: String

    private static let processEnd = Locked<(@Sendable (OverdueEffect) -> Void)?>(nil)

    /// Sets how the process ends for an overdue effect. A worker process calls this function when it begins.
    package static func endProcess(with end: @escaping @Sendable (OverdueEffect) -> Void) {
        processEnd.withLock { $0 = end }
    }

    /// Ends the worker process. In a process that is not a worker, reports an issue.
    func end() {
        if let end = Self.processEnd.withLock(\.self) { end(self) } else { report() }
    }

    /// Reports that nothing ends the effect.
    func report() {
        reportIssue(
            """
            An effect has not ended \(grace) after its timeout of \(limit), and it continues, because this process is \
            not a worker that could be ended. Run the feature in a worker, or let the work of the effect end when its \
            task is cancelled.
            """
        )
    }
}
