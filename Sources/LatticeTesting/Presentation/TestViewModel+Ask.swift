public import LatticeCore

extension TestViewModel where F: AnsweringFeature {
    /// Asks the feature something, as ``LatticeCore/ViewModel/ask(_:deadline:)`` does, wherever the test has placed it.
    ///
    /// It is answered from the state that the feature has, which may be ahead of what the test has received. Nothing is
    /// handled by it, so there is nothing to assert but the answer.
    ///
    /// ```swift
    /// await library.send(.add("Emma")) { $0.books = ["Emma"] }
    /// #expect(try await library.ask(Library.Search(word: "Em")) == ["Emma"])
    /// ```
    ///
    /// - Parameter deadline: nil: ``LatticeCore/ViewModel/questionTimeout`` from now on, in real time.
    /// - Throws: `F.AnswerFailure`, `QuestionError`, `CancellationError`.
    public func ask(_ question: F.Question, deadline: ContinuousClock.Instant? = nil) async throws -> F.Answer {
        try await engine.ask(question, of: F.self, until: try ViewModel<F>.deadlineOfQuestion(deadline))
    }
}
