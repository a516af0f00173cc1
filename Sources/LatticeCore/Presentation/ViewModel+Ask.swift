import LatticeConcurrency

extension ViewModel where F: AnsweringFeature {
    /// How long an answer may take where nothing else is said.
    public static var questionTimeout: Duration { .seconds(30) }

    /// Asks the feature something, for this caller alone: wherever it runs, and without going through the view state.
    ///
    /// It ends in the answer, in the feature's ``AnsweringFeature/AnswerFailure``, or in a ``QuestionError``. A
    /// question whose worker dies is asked again, once, when the next worker serves. Cancelling the calling task ends
    /// it at once with `CancellationError`, and cancels the task that answers.
    ///
    /// ```swift
    /// let titles = try await viewModel.ask(Library.Search(word: "swift"), deadline: .now + .seconds(2))
    /// ```
    ///
    /// - Parameter deadline: The clock goes on while the machine sleeps. nil: ``questionTimeout`` from now on. An earlier
    ///   one of the task (``Deadline/current``) holds too.
    /// - Throws: `F.AnswerFailure`, ``QuestionError``, `CancellationError`.
    public func ask(_ question: F.Question, deadline: ContinuousClock.Instant? = nil) async throws -> F.Answer {
        try await engine.ask(question, of: F.self, until: try Self.deadlineOfQuestion(deadline))
    }

    /// Until when a question is answered.
    ///
    /// - Throws: As ``ask(_:deadline:)`` does, where it is not asked at all.
    package static func deadlineOfQuestion(_ deadline: ContinuousClock.Instant?) throws -> ContinuousClock.Instant {
        try Task.checkCancellation()
        var deadline = deadline ?? .now + questionTimeout
        if let current = TaskDeadline.current { deadline = min(deadline, current) }
        guard deadline > .now else { throw QuestionError.deadlinePassed(of: F.identifier) }
        return deadline
    }
}

extension ViewModelEngine {
    /// Asks nobody.
    package func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        throw QuestionError.notServed(Feature.identifier, "its view model does not reach it")
    }
}

extension LocalEngine {
    func ask<Feature: AnsweringFeature>(
        _ question: Feature.Question,
        of feature: Feature.Type,
        until deadline: ContinuousClock.Instant
    ) async throws -> Feature.Answer {
        guard let state = runtime.state as? Feature.DomainState, let context else {
            throw QuestionError.notServed(Feature.identifier, "its view model does not reach it")
        }
        return try await Feature.answerHere(question, from: state, in: context, until: deadline)
    }
}

extension AnsweringFeature {
    /// Answers a question of this process.
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
                    try await TaskDeadline.$current.withValue(deadline) {
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
