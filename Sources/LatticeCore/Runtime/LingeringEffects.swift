import IssueReporting
import LatticeConcurrency

/// Cancelled effects of one event that have not returned after a grace period. The event has ended without them.
package struct LingeringEffects: Sendable, Equatable {
    /// What this process does about such effects.
    package struct Policy: Sendable {
        /// The time that cancelled effects have to return before they are reported.
        package var grace: Duration
        /// Reports the effects. It is called at most once for the effects of an event that were cancelled together, on
        /// a thread that serves all timers, and must not block.
        package var report: @Sendable (LingeringEffects) -> Void
    }

    /// The event, or nil if it does not leave this process.
    package let event: EventID?
    /// The number of effects.
    package let effects: Int
    /// The time that they had.
    package let grace: Duration

    private static let current = Locked(Policy(grace: RuntimeLimits.lingeringTimeout) { $0.reportIssue() })

    /// The policy of this process. A worker sets it when it begins. Otherwise an issue is reported after
    /// ``RuntimeLimits/lingeringTimeout``.
    package static var policy: Policy {
        get { current.withLock(\.self) }
        set { current.withLock { $0 = newValue } }
    }

    /// A sentence that says what continues.
    package var sentence: String {
        let event = event.map { " of the event \($0)" } ?? ""
        let subject = effects == 1 ? "1 effect\(event) continues" : "\(effects) effects\(event) continue"
        return
            "\(subject) \(grace) after the cancellation. Let the work of effects end when their task is cancelled, or"
            + " use whenCancelled(endingWorkerAfter:)."
    }

    private func reportIssue() {
        IssueReporting.reportIssue(sentence)
    }
}
