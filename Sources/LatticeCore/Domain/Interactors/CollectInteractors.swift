extension Interactors {
    /// What a builder closure composes, as one interactor.
    public struct CollectInteractors<State: Sendable, Action: Sendable, Interactors: Interactor>: Interactor
    where State == Interactors.DomainState, Action == Interactors.Action {
        private let interactors: Interactors

        public init(@InteractorBuilder<State, Action> _ build: () -> Interactors) {
            self.interactors = build()
        }

        public func interact(state: inout State, action: Action) -> Emission<Action> {
            interactors.interact(state: &state, action: action)
        }

        public func _resolve() -> _ResolvedInteractor<State, Action> {
            interactors._resolve()
        }
    }
}

extension Interactors.CollectInteractors: Sendable where Interactors: Sendable {}
