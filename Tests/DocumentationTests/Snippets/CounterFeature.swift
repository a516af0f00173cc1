import Lattice

struct CounterState: Equatable, Sendable {
    var count = 0
    var isLoading = false
}

@CasePathable
enum CounterAction: Equatable, Sendable {
    case increment
    case load
    case loaded(Int)
}

struct CounterViewState: Equatable, Sendable {
    var text = ""
}

@Interactor<CounterState, CounterAction>
struct CounterInteractor: Sendable {
    var fetch: @Sendable () async throws -> Int

    var body: some InteractorOf<Self> {
        Interact { state, action in
            switch action {
            case .increment:
                state.count += 1
                return .none
            case .load:
                state.isLoading = true
                return .perform { .loaded(try await fetch()) }
            case .loaded(let count):
                state.isLoading = false
                state.count = count
                return .none
            }
        }
    }
}

@ViewStateReducer<CounterState, CounterViewState>
struct CounterReducer: Sendable {
    var body: some ViewStateReducerOf<Self> {
        BuildViewState(initial: { _ in CounterViewState() }) { state, viewState in
            viewState.text = state.isLoading ? "…" : "\(state.count)"
        }
    }
}
