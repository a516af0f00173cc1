import LatticeCore
import LatticeHosting

/// What a presenter knows of its instance, except for the states.
struct PresenterState {
    /// An interruption that the feature could not handle.
    private struct Unanswered {
        /// When the feature can handle it again.
        enum Retry {
            /// With the next delivery of the worker, because a queue was full or there was no channel yet.
            case nextDelivery
            /// When a worker serves that is not this incarnation, or any worker if it is nil.
            case nextWorker(after: UInt64?)
        }

        let interruption: Interruption
        let retry: Retry
    }

    /// The duration in nanoseconds from which a reduction counts as slow. The event loop serves all clients, so none of
    /// them waits longer for a reducer. A hop to a coding thread takes about a quarter of it.
    static let slowReduction: Int64 = 200_000

    var status = ShownStatus()
    /// A Boolean value that indicates whether the presenter has a domain state that a worker started from or sent.
    var hasDomainState = false
    /// The observer, if the program observes domain states.
    var observer: (@Sendable () -> Void)?
    /// A Boolean value that indicates whether the last reduction was slow.
    private(set) var isSlow = false
    private var unanswered: Unanswered?

    /// Notes the duration of a reduction in nanoseconds.
    ///
    /// - Returns: The observer to call, or nil if the program does not observe.
    mutating func reduced(within duration: Int64) -> (@Sendable () -> Void)? {
        hasDomainState = true
        isSlow = duration >= Self.slowReduction
        return observer
    }

    /// The incarnation of the worker that serves the instance, or nil if none does.
    var incarnation: UInt64? {
        if case .serving(let worker) = status.host { worker.incarnation } else { nil }
    }

    /// Keeps an interruption until the channel to the worker is known.
    mutating func leaveUntilConnected(_ interruption: Interruption) {
        leave(interruption, until: .nextDelivery)
    }

    /// Keeps an interruption whose action was rejected, until another attempt can succeed.
    ///
    /// - Parameters:
    ///   - interruption: The interruption.
    ///   - rejection: The reason why the action was not applied.
    ///   - receiver: ``incarnation`` when the action was sent.
    /// - Returns: A Boolean value that indicates whether another worker serves already.
    mutating func recoveryWasRejected(
        _ interruption: Interruption,
        _ rejection: EventRejection,
        sentTo receiver: UInt64?
    ) -> Bool {
        switch rejection.code {
        case .quarantined, .declined:
            // It would end the next worker too, or the feature has answered.
            return false
        case .overloaded:
            leave(interruption, until: .nextDelivery)
            return false
        default:
            // The same worker would reject it again, without end.
            leave(interruption, until: .nextWorker(after: receiver))
            return canRetry
        }
    }

    /// Keeps an interruption. It is merged with an earlier one, since each may name other effects.
    private mutating func leave(_ interruption: Interruption, until retry: Unanswered.Retry) {
        let names = Set(interruption.effects.map(\.name))
        let earlier = unanswered?.interruption.effects.filter { !names.contains($0.name) } ?? []
        unanswered = Unanswered(
            interruption: Interruption(
                cause: interruption.cause,
                incarnation: interruption.incarnation,
                effects: (interruption.effects + earlier).sorted { $0.name < $1.name },
                report: interruption.report
            ),
            retry: retry
        )
    }

    private var canRetry: Bool {
        switch unanswered?.retry {
        case nil: false
        case .nextDelivery: incarnation != nil
        case .nextWorker(let last): incarnation != nil && incarnation != last
        }
    }

    /// Removes the interruption that the feature could not handle, if it can be tried again now. Call this with each
    /// delivery.
    mutating func takeUnanswered() -> Interruption? {
        canRetry ? unanswered.take()?.interruption : nil
    }
}
