import IssueReporting
import LatticeConcurrency

/// An effect whose work has not returned in the grace period after it was cancelled.
package struct OverdueEffect: Sendable {
    /// What cancelled the effect.
    package enum Cause: Sendable {
        /// The effect took longer than the allowed time, which the text contains as the clock describes it.
        case timeout(String)
        /// The effect or its event was cancelled.
        case cancellation
    }

    /// What cancelled the effect.
    package let cause: Cause
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

    /// A sentence without a full stop that says what the effect has not done.
    package var sentence: String {
        switch cause {
        case .timeout(let limit): "An effect has not ended \(grace) after its timeout of \(limit)"
        case .cancellation: "An effect has not ended \(grace) after its cancellation"
        }
    }

    /// Reports that nothing ends the effect.
    func report() {
        reportIssue(
            """
            \(sentence), and it continues, because this process is not a worker that could be ended. Run \
            the feature in a worker, or let the work of the effect end when its task is cancelled.
            """
        )
    }
}
