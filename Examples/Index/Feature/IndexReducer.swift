import Lattice

/// What all terminals show of the index: how far it is, and not the words.
struct IndexReducer: ViewStateReducer, Sendable {
    typealias DomainState = IndexState
    typealias ViewState = IndexViewState

    func initialViewState(for domainState: IndexState) -> IndexViewState { IndexViewState() }

    var body: some ViewStateReducerOf<Self> {
        BuildViewState(initial: { _ in IndexViewState() }) { state, view in
            view.found = state.found
            view.indexed = state.files.count
            view.leftOut = state.leftOut
            view.isComplete = state.reading == .done
        }
    }
}

@Patchable struct IndexViewState: Codable, Equatable, Sendable {
    /// Files that there are, and how many of them have been read.
    var found = 0
    var indexed = 0
    /// Files that did not fit.
    var leftOut = 0
    /// Whether everything was read.
    var isComplete = false

    /// "1234 of 8094 files".
    var progress: String {
        let files = isComplete ? "\(indexed) files" : "\(indexed) of \(found) files"
        return leftOut > 0 ? "\(files), \(leftOut) more do not fit" : files
    }
}
