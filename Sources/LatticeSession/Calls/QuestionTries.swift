import LatticeWire

/// How often a question is asked. It does no I/O.
///
/// The rule: one that may have been read is asked once more, and one that was not as often as its deadline allows. So
/// a worker's death loses no question, and a question that kills whoever answers it kills two at most.
struct QuestionTries: Equatable {
    enum Step: Equatable {
        case end(ActorReply)
        /// After a pause.
        case again
    }

    private var losses = 0

    /// - Parameter isCancelled: Whether whoever asks is; else it is what answers that has been told to end.
    mutating func next(after reply: ActorReply, isCancelled: Bool = false) -> Step {
        switch reply.code {
        case .lost where reply.mayHaveBegun, .cancelled where !isCancelled:
            losses += 1
            guard losses == 2 else { return .again }
            return .end(
                ActorReply(
                    call: 0,
                    code: .interrupted,
                    reason: "what was to answer has ended, twice; the last time: \(reply.reason ?? "nobody knows why")",
                    mayHaveBegun: true
                )
            )
        case .lost, .noNode, .noActor: return .again
        default: return .end(reply)
        }
    }
}
