import LatticeCore

/// What one participant of a round did, and saw.
struct ChaosRecord: Codable, Equatable, Sendable {
    /// An event, and how it ended.
    struct Sent: Codable, Equatable, Sendable {
        let log: ChaosLog
        let event: ChaosEvent.Identifier
        /// Of what it carried.
        var text = ChaosDigest()
        let effect: ChaosAction.Effect
        let wasCancelled: Bool
        let end: End
        /// Whether it had finished before its sender was shown that.
        var wasUnseen = false
        /// Whether it ended, but later than the machine's pace lets one expect.
        var wasLate = false
    }

    /// An ``EventOutcome``, as far as it matters here.
    enum End: Codable, Hashable, Sendable {
        /// It had not ended when nothing moved any more.
        case never
        case finished
        case cancelled
        case interrupted
        case overloaded
        case quarantined
        /// What there is no reason for here.
        case other(String)

        init(_ outcome: EventOutcome?) {
            self =
                switch outcome {
                case nil: .never
                case .finished: .finished
                case .cancelled: .cancelled
                case .interrupted: .interrupted
                case .rejected(let rejection) where rejection.code == .overloaded: .overloaded
                case .rejected(let rejection) where rejection.code == .quarantined: .quarantined
                case .some(let outcome): .other("\(outcome)")
                }
        }

        /// For a count of how events ended, and for a sentence.
        var name: String {
            switch self {
            case .never: "never ended"
            case .finished: "finished"
            case .cancelled: "cancelled"
            case .interrupted: "interrupted"
            case .overloaded: "overloaded"
            case .quarantined: "quarantined"
            case .other: "ended otherwise"
            }
        }
    }

    /// A state that was shown; nil: one whose places have gaps.
    typealias Shown = ChaosDigest?

    let participant: Int
    let sent: [Sent]
    /// The states that it was shown, one after the other, by their logs.
    let shown: [[Shown]]
    /// Of what it is shown at the end, with all that events carry, by the logs.
    let last: [ChaosDigest]
    /// How long it waited for the end of all when all were sent.
    var waited = Duration.zero
    /// Why it stopped waiting before all had ended; nil if all had.
    var verdict: ChaosStandstill.Verdict?
}
