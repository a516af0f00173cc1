/// A feature that answers questions. A question asks for something that only one caller needs, such as the result of a
/// search in a large index.
///
/// The answer is computed where the interactor runs, from its state with all `@WorkerLocal` parts. It is sent to the
/// caller only, and is not part of the view state.
///
/// ```swift
/// extension Library: AnsweringFeature {
///     struct Search: Codable, Sendable { var word: String }
///
///     static func answer(_ search: Search, from state: DomainState, in context: HostContext) -> [String] {
///         state.books.filter { $0.title.contains(search.word) }.map(\.title)
///     }
/// }
///
/// let titles = try await viewModel.ask(Library.Search(word: "swift"))
/// ```
public protocol AnsweringFeature: HostedFeature {
    /// The type of the questions.
    associatedtype Question: Codable & Sendable
    /// The type of the answers.
    associatedtype Answer: Codable & Sendable
    /// The error that the feature throws if it has no answer. The default is `Never`, for a feature that always
    /// answers.
    associatedtype AnswerFailure: Error & Codable & Sendable = Never

    /// Answers a question.
    ///
    /// The function runs on threads that may compute and block, with a copy of the state as it is when the question
    /// arrives. That state can be newer than the state that view models show. It contains every event whose `finish()`
    /// returned before the question was asked. Other events continue in the meantime. While the copy exists, the first
    /// change of a copy-on-write part of the state copies that part.
    ///
    /// The function must not change anything, because it can be called twice for one question: if the worker
    /// terminates, the next worker is asked. The task is cancelled when the caller no longer needs the answer.
    /// ``Deadline/current`` is the caller's deadline.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - state: A copy of the domain state.
    ///   - context: The information about the environment in which the feature runs.
    static func answer(
        _ question: Question,
        from state: DomainState,
        in context: HostContext
    ) async throws(AnswerFailure) -> Answer
}
