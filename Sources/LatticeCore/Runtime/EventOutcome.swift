/// The outcome of an event. Every event ends with exactly one outcome.
public enum EventOutcome: Sendable {
    // The cases with values are rare and boxed, so the others are a single word and cheap to pass on.

    /// The event was applied, and every effect of its tree has ended.
    case finished
    /// An effect of the event threw an error that nothing caught, the turn of the event did not end, the resulting
    /// state could not be sent, or a named effect was interrupted whose policy lets the event fail.
    indirect case failed(EffectFailure)
    /// The event was cancelled before it was applied, or at least one of its effects was cancelled.
    ///
    /// The value says who cancelled it, why, and which of the two holds. A pattern without a value matches every
    /// cancelled event. An event without effects that reaches its worker ends ``finished``, also if its cancellation
    /// arrived there first.
    indirect case cancelled(Cancellation)
    /// The event was never applied.
    indirect case rejected(EventRejection)
    /// The event was applied, and its worker terminated before its effects had ended.
    indirect case interrupted(Interruption)
    /// The event was sent, but it is not known whether it was applied or how it ended. It is never sent again.
    indirect case unknown(UnknownOutcome)
}

extension EventOutcome: Equatable {
    /// A cancelled event, for comparisons. It equals every other cancelled event.
    public static var cancelled: EventOutcome { .cancelled(Cancellation(by: .unknown)) }

    /// The canceller, the reason, and how far the event had come. Nil if the event was not cancelled.
    public var cancellation: Cancellation? { if case .cancelled(let cancellation) = self { cancellation } else { nil } }

    /// Returns whether two events ended in the same way. Cancellers and reasons are ignored.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.finished, .finished), (.cancelled, .cancelled): true
        case (.failed(let lhs), .failed(let rhs)): lhs == rhs
        case (.rejected(let lhs), .rejected(let rhs)): lhs == rhs
        case (.interrupted(let lhs), .interrupted(let rhs)): lhs == rhs
        case (.unknown(let lhs), .unknown(let rhs)): lhs == rhs
        case (.finished, _), (.cancelled, _), (.failed, _), (.rejected, _), (.interrupted, _), (.unknown, _): false
        }
    }
}

extension EventOutcome: CustomStringConvertible {
    /// The name of the case, followed by its value if it has one, such as "cancelled by its deadline while it ran" or
    /// "rejected: overloaded: …".
    public var description: String {
        switch self {
        case .finished: "finished"
        case .failed(let failure): "failed: \(failure)"
        case .cancelled(let cancellation):
            "\(cancellation)".isEmpty ? "cancelled" : "cancelled \(cancellation)"
        case .rejected(let rejection): "rejected: \(rejection)"
        case .interrupted(let interruption): "interrupted: \(interruption)"
        case .unknown(let unknown): "unknown: \(unknown)"
        }
    }
}

/// The reason why the outcome of an event is unknown: the event was sent, but nothing that is left knows whether it was
/// applied, or how it ended.
///
/// Such an event is never sent again. Two values are always equal, because the reason is meant for people only.
public struct UnknownOutcome: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that says why the outcome is unknown. It is ignored in comparisons.
    public let reason: String

    /// Creates an unknown outcome.
    public init(reason: String) {
        self.reason = reason
    }

    /// Returns true, because the reason is ignored.
    public static func == (lhs: Self, rhs: Self) -> Bool { true }

    /// Hashes nothing, because all values are equal.
    public func hash(into hasher: inout Hasher) {}

    /// The reason.
    public var description: String { reason }
}
