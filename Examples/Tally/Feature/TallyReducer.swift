import ExampleSupport
import LatticeCore

/// Derives what a screen shows from the counts.
struct TallyReducer: ViewStateReducer, Sendable {
    typealias DomainState = TallyState
    typealias ViewState = TallyViewState

    func initialViewState(for domainState: TallyState) -> TallyViewState { TallyViewState() }

    var body: some ViewStateReducerOf<Self> {
        BuildViewState(initial: { _ in TallyViewState() }) { state, view in
            Self.show(state, in: &view)
        }
    }

    private static func show(_ state: TallyState, in view: inout TallyViewState) {
        view.phase = state.phase
        view.filesDone = state.done
        view.filesFound = max(state.found, state.done)
        view.isWalked = state.isWalked
        view.bytes = state.bytes
        view.seconds = state.seconds
        view.workerProcessID = state.processID
        view.incarnation = state.incarnations
        view.failureCount = state.failures.count
        view.newestFailures = newestFailures(of: state)
    }

    private static func newestFailures(of state: TallyState) -> [TallyViewState.Failure] {
        let count = state.failures.count
        return (max(0, count - TallyViewState.shownFailures)..<count).compactMap { number in
            state.failures[number].map { failure in
                TallyViewState.Failure(path: PathText.display(failure.path), reason: failure.reason)
            }
        }
    }
}
