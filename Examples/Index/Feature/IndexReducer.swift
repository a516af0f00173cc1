import Lattice

/// Derives what all terminals show of the index: the progress, and not the words.
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

/// The progress of the index.
@Patchable struct IndexViewState: Codable, Equatable, Sendable {
    /// The number of files that were found.
    var found = 0
    /// The number of files that have been read.
    var indexed = 0
    /// The number of files that did not fit into the index.
    var leftOut = 0
    /// A Boolean value that indicates whether all files have been read.
    var isComplete = false

    /// A text such as "1234 of 8094 files".
    var progress: String {
        let files = isComplete ? "\(indexed) files" : "\(indexed) of \(found) files"
        return leftOut > 0 ? "\(files), \(leftOut) more do not fit" : files
    }
}
