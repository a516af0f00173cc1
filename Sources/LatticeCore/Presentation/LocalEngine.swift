/// Runs a feature in the process of its view model, on the main actor.
@MainActor
final class LocalEngine<Action: Sendable, DomainState: Sendable, ViewState: Sendable>: ViewModelEngine {
    let host = HostStatus.local
    private nonisolated let runtime: FeatureRuntime<DomainState, Action>
    private let reducer: _ResolvedViewStateReducer<DomainState, ViewState>
    @exclusivity(unchecked) private weak var presenter: (any ViewModelPresenter<ViewState>)?

    init(
        initialDomainState: DomainState,
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: _ResolvedViewStateReducer<DomainState, ViewState>,
        areStatesEqual: (@Sendable (DomainState, DomainState) -> Bool)?
    ) {
        self.reducer = reducer
        runtime = FeatureRuntime(
            initialState: initialDomainState,
            interactor: interactor,
            isolation: MainActor.shared,
            areStatesEqual: areStatesEqual
        )
        runtime.onTurn = { [weak self] changed in
            guard changed else { return }
            MainActor.assumeIsolated { self?.present() }
        }
    }

    func start(presenter: any ViewModelPresenter<ViewState>) {
        self.presenter = presenter
    }

    func send(_ action: Action) -> EventTask {
        runtime.send(action)
    }

    nonisolated func close() {
        runtime.close()
    }

    private func present() {
        presenter?.update { reducer.reduce(runtime.state, into: &$0) }
    }
}
