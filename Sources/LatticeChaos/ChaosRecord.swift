import LatticeCore

/// The record of what one participant of a round did and saw.
struct ChaosRecord: Codable, Equatable, Sendable {
    /// An event, and how it ended.
    struct Sent: Codable, Equatable, Sendable {
        let log: ChaosLog
        let event: ChaosEvent.Identifier
        /// The hash of the event's text.
        var text = ChaosDigest()
        let effect: ChaosAction.Effect
        let wasCancelled: Bool
        let end: End
        /// A Boolean value that indicates whether the event had finished before its sender saw the result.
        var wasUnseen = false
        /// A Boolean value that indicates whether the event ended later than is expected on this machine.
        var wasLate = false
    }

    /// An ``EventOutcome``, as far as it matters for the checks.
    enum End: Codable, Hashable, Sendable {
        /// The event had not ended when there was no more progress.
        case never
        case finished
        case cancelled
        case interrupted
        case overloaded
        case quarantined
        /// The event ended in an unexpected way.
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

        /// A short name for counting the ends of events, and for sentences.
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

    /// The hash of a shown state, or nil if its places have gaps.
    typealias Shown = ChaosDigest?

    let participant: Int
    let sent: [Sent]
    /// The states that were shown to the participant in order, by log.
    let shown: [[Shown]]
    /// The hashes of the states at the end, including all texts, by log.
    let last: [ChaosDigest]
    /// The time that it waited for all events to end after all had been sent.
    var waited = Duration.zero
    /// The reason why it stopped waiting before all had ended, or nil if all had.
    var verdict: ChaosStallDetector.Verdict?
}
