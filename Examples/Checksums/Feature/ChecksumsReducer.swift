import LatticeCore

/// Derives the progress from the state.
struct ChecksumsReducer: ViewStateReducer, Sendable {
    typealias DomainState = ChecksumsState
    typealias ViewState = ChecksumsViewState

    func initialViewState(for domainState: ChecksumsState) -> ChecksumsViewState { ChecksumsViewState() }

    var body: some ViewStateReducerOf<Self> {
        BuildViewState(initial: { _ in ChecksumsViewState() }) { state, view in
            view.phase = state.phase
            view.files = state.files.count
            view.failures = state.failures.count
            view.found = state.found
            view.bytes = state.bytes
            view.seconds = state.seconds
            view.shares = state.shares
        }
    }
}
