import Lattice

/// The shown lines.
struct SearchViewState: Equatable, Sendable {
    var lines: [String] = []
}

@ViewStateReducer<SearchState, SearchViewState>
struct SearchReducer: Sendable {
    var body: some ViewStateReducerOf<Self> {
        BuildViewState(initial: { _ in SearchViewState() }) { state, viewState in
            viewState.lines =
                switch state.results {
                case .none: []
                case .waiting: ["searching for \(state.query.text)"]
                case .failed(let reason): [reason]
                case .found(let matches, let total):
                    ["\(state.query.text): \(total) \(total == 1 ? "line" : "lines")"]
                        + matches.map { "\($0.path):\($0.line): \($0.text)" }
                }
        }
    }
}
