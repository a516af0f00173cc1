/// A feature that answers questions: what one caller wants to know and nobody else is shown, such as the result of a
/// search in a large index.
///
/// An answer is made where the interactor runs, from its state with all `@WorkerLocal` parts, and goes to whoever
/// asked: not through the view state, and not to others.
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
    associatedtype Question: Codable & Sendable
    associatedtype Answer: Codable & Sendable
    /// The error that tells a caller why there is no answer; `Never`, the default, where there always is one.
    associatedtype AnswerFailure: Error & Codable & Sendable = Never

    /// Answers a question.
    ///
    /// Called on threads that may compute and block, with a copy of the state as it is when the question comes: it may
    /// be ahead of what view models show. An event whose `finish()` has returned before the question was asked has been
    /// applied. Other events go on meanwhile, and while the copy is kept, a change of a part of the state copies what
    /// that part's type copies on write.
    ///
    /// It changes nothing, and may be called twice for one question: if its worker dies, the next one is asked. The
    /// task is cancelled when nobody needs the answer any more; ``Deadline/current`` is that of whoever asked.
    ///
    /// - Parameter state: Its own copy.
    static func answer(
        _ question: Question,
        from state: DomainState,
        in context: HostContext
    ) async throws(AnswerFailure) -> Answer
}
