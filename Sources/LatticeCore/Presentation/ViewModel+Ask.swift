import LatticeConcurrency

extension ViewModel where F: AnsweringFeature {
    /// The time that an answer may take if the caller gives no deadline.
    public static var questionTimeout: Duration { .seconds(30) }

    /// Asks the feature a question, wherever it runs, and returns the answer to this caller only. The view state is not
    /// involved.
    ///
    /// If the worker terminates while it answers, the next worker is asked once more. Cancelling the calling task
    /// throws `CancellationError` at once and cancels the task that answers.
    ///
    /// ```swift
    /// let titles = try await viewModel.ask(Library.Search(word: "swift"), deadline: .now + .seconds(2))
    /// ```
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - deadline: The time by which the answer must arrive, on a clock that continues while the machine sleeps. If
    ///     it is nil, the deadline is ``questionTimeout`` from now. An earlier deadline of the current task
    ///     (``Deadline/current``) also applies.
    /// - Throws: The feature's ``AnsweringFeature/AnswerFailure``, a ``QuestionError``, or `CancellationError`.
    public func ask(_ question: F.Question, deadline: ContinuousClock.Instant? = nil) async throws -> F.Answer {
        try await engine.ask(question, of: F.self, until: try Self.deadlineOfQuestion(deadline))
    }

    /// Returns the time by which a question must be answered.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, or a ``QuestionError`` if the deadline has passed.
    package static func deadlineOfQuestion(_ deadline: ContinuousClock.Instant?) throws -> ContinuousClock.Instant {
        try Task.checkCancellation()
        var deadline = deadline ?? .now + questionTimeout
        if let current = MonotonicDeadline.current.moment { deadline = min(deadline, current) }
        guard deadline > .now else { throw QuestionError.deadlinePassed(of: F.identifier) }
        return deadline
    }
}

extension ViewModelEngine {
    /// Throws an error, because this engine does not reach a feature that answers questions.
    package func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        throw QuestionError.notReached(Feature.identifier)
    }
}

extension LocalEngine {
    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        guard let state = runtime.state as? Feature.DomainState, let context else {
            throw QuestionError.notReached(Feature.identifier)
        }
        return try await Feature.answerHere(question, from: state, in: context, until: deadline)
    }
}

extension AnsweringFeature {
    /// Answers a question in this process.
    package static func answerHere(
        _ question: Question,
        from state: DomainState,
        in context: HostContext,
        until deadline: ContinuousClock.Instant
    ) async throws -> Answer {
        let answer = OneShot<Result<Answer, any Error>>()
        answer.run { shot in
            shot.complete(
                await .catching {
                    try await MonotonicDeadline.$current.withValue(MonotonicDeadline(deadline)) {
                        try await Self.answer(question, from: state, in: context)
                    }
                }
            )
        }
        answer.complete(at: deadline, on: ContinuousClock()) { _ in
            .failure(QuestionError.deadlinePassed(of: identifier))
        }
        return try await answer.value(ifCancelled: .failure(CancellationError())).get()
    }
}
