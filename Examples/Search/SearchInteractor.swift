import Lattice

/// The whole search. The query is a child with its own state, and this interactor shows the results of the child.
@Interactor<SearchState, SearchAction>
struct SearchInteractor<C: Clock<Duration>>: Sendable {
    let clock: C
    let search: @Sendable (String) async throws -> Found

    var body: some InteractorOf<Self> {
        Interact { state, action in
            // The child has run before, so `query` is already the new one.
            switch action {
            case .query(.typed(let text)):
                state.results = text.isEmpty ? .none : .waiting
            case .query(.found(let found)) where found.text == state.query.text:
                state.results = .found(found.matches, total: found.total)
            case .query(.failed(let text, let reason)) where text == state.query.text:
                state.results = .failed(reason)
            case .query:
                // This result belongs to an earlier text.
                break
            }
            return .none
        }
        .when(state: \.query, action: \.query) {
            DebounceInteractor(for: .milliseconds(300), clock: clock) {
                QueryInteractor(search: search)
            }
        }
    }
}

/// Takes the typed text and searches for it.
@Interactor<QueryState, QueryAction>
struct QueryInteractor: Sendable {
    let search: @Sendable (String) async throws -> Found

    var body: some InteractorOf<Self> {
        Interact { state, action in
            guard case .typed(let text) = action else { return .none }
            state.text = text
            guard !text.isEmpty else { return .cancel(id: "search") }
            return .perform {
                do {
                    return .found(try await search(text))
                } catch let error as SearchError {
                    return .failed(text: text, reason: error.sentence)
                }
            }
            // A search is cancelled when another text is typed.
            .cancellable(id: "search", cancelInFlight: true)
        }
    }
}
