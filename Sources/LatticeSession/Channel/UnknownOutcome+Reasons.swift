package import LatticeCore

extension UnknownOutcome {
    static let memoryLost = UnknownOutcome(
        reason: "the coordinator lost its memory before it acknowledged the event; look at the state before it is sent"
            + " again"
    )
    static let eventForgotten = UnknownOutcome(
        reason: "the client was away for longer than the coordinator remembers it, and the event was not acknowledged"
            + " before; look at the state before it is sent again"
    )
    static let outcomeForgotten = UnknownOutcome(
        reason: "the event was applied, and the client was away for longer than the coordinator remembers how it ended;"
            + " what it started may still run"
    )

    /// The other side does not answer any more.
    static func unanswered(_ reason: String) -> UnknownOutcome {
        UnknownOutcome(reason: "\(reason); the event was sent, and may be applied or still be running")
    }

    /// More events have ended than their outcomes are kept.
    package static let tooLongAgo = UnknownOutcome(
        reason: "the event has ended so long ago that the coordinator does not remember how"
    )
}
