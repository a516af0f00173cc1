import Lattice
import Testing

// The quick start: what a person writes first, with nothing but `import Lattice`.

private struct CounterState: Equatable, Sendable {
    var count = 0
}

@CasePathable
private enum CounterAction: Sendable {
    case increment
    case load
    case loaded(Int)
}

private struct CounterViewState: Equatable, Sendable {
    var title = ""
}

private struct CounterAPI: Sendable {
    func load() async throws -> Int { 42 }
}

private let api = CounterAPI()

@Interactor<CounterState, CounterAction>
private struct CounterInteractor: Sendable {
    var body: some InteractorOf<Self> {
        Interact { state, action in
            switch action {
            case .increment:
                state.count += 1
                return .none
            case .load:
                return .perform { .loaded(try await api.load()) }
            case .loaded(let count):
                state.count = count
                return .none
            }
        }
    }
}

@ViewStateReducer<CounterState, CounterViewState>
private struct CounterReducer: Sendable {
    var body: some ViewStateReducerOf<Self> {
        Self.buildViewState(initial: { _ in CounterViewState() }) { domainState, viewState in
            viewState.title = "\(domainState.count)"
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct QuickStartTests {
    @Test func theQuickStartRuns() async {
        let viewModel = ViewModel(
            initialDomainState: CounterState(),
            feature: Feature(interactor: CounterInteractor(), reducer: CounterReducer())
        )
        #expect(viewModel.title == "0")
        viewModel.sendViewEvent(.increment)
        #expect(viewModel.title == "1")
        let outcome = await viewModel.sendViewEvent(.load).finish()
        #expect(outcome == .finished)
        #expect(viewModel.title == "42")
    }

    @Test func aFeatureShowsItsDomainStateAsItIs() {
        let viewModel = ViewModel(
            initialDomainState: CounterState(count: 1),
            feature: Feature(interactor: CounterInteractor())
        )
        viewModel.sendViewEvent(.increment)
        #expect(viewModel.count == 2)
    }

    @Test func actionsHaveCasePaths() {
        let loaded: CaseKeyPath<CounterAction, Int> = \.loaded
        #expect(CounterAction.loaded(3)[case: loaded] == 3)
        #expect(CounterAction.load.is(\.load))
    }
}
