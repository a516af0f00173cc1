import LatticeWire

/// Decides how often a question is asked. It does no I/O.
///
/// A question that may have been read is asked once more. A question that was not read is asked as often as its
/// deadline allows. The death of a worker therefore loses no question, and a question that crashes the process that
/// answers it crashes at most two.
struct QuestionTries: Equatable {
    enum Step: Equatable {
        case end(CallOutcome)
        /// Ask again after a pause.
        case again
    }

    private var losses = 0

    /// Decides what to do after an outcome.
    ///
    /// - Parameter isCancelled: Whether the task that asks is cancelled. If it is not, an outcome of `cancelled` means
    ///   that the answering process was asked to end.
    mutating func next(after outcome: CallOutcome, isCancelled: Bool = false) -> Step {
        guard let failure = outcome.failure else { return .end(outcome) }
        switch failure.code {
        case .lost where failure.mayHaveBegun, .cancelled where !isCancelled:
            losses += 1
            guard losses == 2 else { return .again }
            return .end(
                .failure(
                    .interrupted,
                    "the process that was answering has ended twice; the last time: "
                        + (failure.reason ?? "the reason is not known"),
                    mayHaveBegun: true
                )
            )
        case .lost, .noNode, .noActor: return .again
        default: return .end(outcome)
        }
    }
}
