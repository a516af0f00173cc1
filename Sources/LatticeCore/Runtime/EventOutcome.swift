/// How an event ended. Every event ends with exactly one outcome.
public enum EventOutcome: Sendable, Equatable {
    // Those with values are rare and boxed, so that the common ones are a word that costs nothing to pass on.

    /// Applied, and every effect of its tree ended.
    case finished
    /// An effect threw, and nothing caught it.
    indirect case failed(EffectFailure)
    /// Applied, and its effects, or one of them, cancelled.
    case cancelled
    /// Never applied.
    indirect case rejected(EventRejection)
    /// Applied; the worker died before its effects ended.
    indirect case interrupted(Interruption)
    /// Sent, and nobody is left who knows whether it was applied, or how it ended. Never sent again.
    indirect case unknown(UnknownOutcome)
}

extension EventOutcome: CustomStringConvertible {
    public var description: String {
        switch self {
        case .finished: "finished"
        case .failed(let failure): "failed: \(failure)"
        case .cancelled: "cancelled"
        case .rejected(let rejection): "rejected: \(rejection)"
        case .interrupted(let interruption): "interrupted: \(interruption)"
        case .unknown(let unknown): "unknown: \(unknown)"
        }
    }
}

/// An event was sent, and nobody is left who knows what became of it: whether it was applied, or how it ended.
///
/// It is never sent again. Two are equal: why nobody knows is for people.
public struct UnknownOutcome: Error, Sendable, Hashable, CustomStringConvertible {
    /// A sentence that says why nobody knows. Left out of comparisons.
    public let reason: String

    public init(reason: String) {
        self.reason = reason
    }

    public static func == (lhs: Self, rhs: Self) -> Bool { true }

    public func hash(into hasher: inout Hasher) {}

    public var description: String { reason }
}
