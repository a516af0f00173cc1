public import LatticeCore

extension TestViewModel where F: AnsweringFeature {
    /// Asks the feature a question, as `ViewModel.ask(_:deadline:)` does, in the placement of the test.
    ///
    /// The answer comes from the current state of the feature, which may be ahead of what the test has received. A
    /// question handles no action, so the answer is all there is to assert.
    ///
    /// ```swift
    /// await library.send(.add("Emma")) { $0.books = ["Emma"] }
    /// #expect(try await library.ask(Library.Search(word: "Em")) == ["Emma"])
    /// ```
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - deadline: The instant at which waiting ends, or nil for `ViewModel.questionTimeout` from now
    ///     on, in real time.
    /// - Returns: The answer.
    /// - Throws: `F.AnswerFailure`, `QuestionError`, or `CancellationError`.
    public func ask(_ question: F.Question, deadline: ContinuousClock.Instant? = nil) async throws -> F.Answer {
        try await engine.ask(question, of: F.self, until: try ViewModel<F>.deadlineOfQuestion(deadline))
    }
}
