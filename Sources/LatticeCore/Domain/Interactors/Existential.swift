extension Interactors {
    /// An `any Interactor` in a `body`. Unlike ``AnyInteractor`` it is not `Sendable`.
    public struct Existential<State: Sendable, Action: Sendable>: Interactor {
        private let base: any Interactor<State, Action>

        public init(_ base: any Interactor<State, Action>) {
            self.base = base
        }

        public func interact(state: inout State, action: Action) -> Emission<Action> {
            base.interact(state: &state, action: action)
        }

        public func _resolve() -> _ResolvedInteractor<State, Action> {
            base._resolve()
        }
    }
}
