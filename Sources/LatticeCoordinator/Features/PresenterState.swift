import LatticeCore
import LatticeHosting

/// What a presenter knows of its instance, except for the states.
struct PresenterState {
    /// The program's observer of domain states.
    enum Observer {
        /// No call is scheduled.
        case idle(@MainActor () -> Void)
        /// A call is scheduled. It will find the newest state.
        case scheduled(@MainActor () -> Void)
    }

    /// The duration in nanoseconds from which a reduction counts as slow. The event loop serves all clients, so none of
    /// them waits longer for a reducer. A hop to a coding thread takes about a quarter of it.
    static let slowReduction: Int64 = 200_000

    var status = ShownStatus()
    /// A Boolean value that indicates whether the presenter has a domain state that a worker started from or sent.
    var hasDomainState = false
    /// The observer, if the program observes domain states.
    var observer: Observer?
    /// A Boolean value that indicates whether the last reduction was slow.
    private(set) var isSlow = false
    /// The interruption that the feature could not handle, because the supervisor gave up on the worker after it.
    private var unanswered: Interruption?

    /// Notes the duration of a reduction in nanoseconds.
    ///
    /// - Returns: A Boolean value that indicates whether an observer is to be notified.
    mutating func reduced(within duration: Int64) -> Bool {
        hasDomainState = true
        isSlow = duration >= Self.slowReduction
        return observer != nil
    }

    /// - Returns: A Boolean value that indicates whether the caller must call the observer on the main actor.
    mutating func scheduleObserver() -> Bool {
        guard case .idle(let changed) = observer else { return false }
        observer = .scheduled(changed)
        return true
    }

    /// - Returns: The observer to call, or nil if the program no longer observes.
    mutating func observerWasScheduled() -> (@MainActor () -> Void)? {
        guard case .scheduled(let changed) = observer else { return nil }
        observer = .idle(changed)
        return changed
    }

    /// Keeps an interruption for the next worker. It is merged with an earlier one, since each may name other effects.
    mutating func leaveUnanswered(_ interruption: Interruption) {
        let names = Set(interruption.effects.map(\.name))
        let earlier = unanswered?.effects.filter { !names.contains($0.name) } ?? []
        unanswered = Interruption(
            cause: interruption.cause,
            incarnation: interruption.incarnation,
            effects: (interruption.effects + earlier).sorted { $0.name < $1.name },
            report: interruption.report
        )
    }

    /// Removes the interruption that the feature could not handle.
    ///
    /// - Returns: The interruption, or nil if there is none or no worker serves.
    mutating func takeUnanswered() -> Interruption? {
        guard case .serving = status.host else { return nil }
        return unanswered.take()
    }
}
