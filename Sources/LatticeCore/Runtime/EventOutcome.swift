/// How an event ended. Every event ends with exactly one outcome.
public enum EventOutcome: Sendable, Equatable {
    /// Applied, and every effect of its tree ended.
    case finished
    /// An effect threw, and nothing caught it.
    case failed(EffectFailure)
    /// Applied, and its effects, or one of them, cancelled.
    case cancelled
    /// Never applied.
    case rejected(EventRejection)
    /// Applied; the worker died before its effects ended.
    case interrupted(Interruption)
}

extension EventOutcome: CustomStringConvertible {
    public var description: String {
        switch self {
        case .finished: "finished"
        case .failed(let failure): "failed: \(failure)"
        case .cancelled: "cancelled"
        case .rejected(let rejection): "rejected: \(rejection)"
        case .interrupted(let interruption): "interrupted: \(interruption)"
        }
    }
}
