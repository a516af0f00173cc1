extension Interactors {
    /// One of two interactors, decided when the `body` was built.
    public enum Conditional<First: Interactor, Second: Interactor<First.DomainState, First.Action>>: Interactor {
        case first(First)
        case second(Second)

        public func interact(state: inout First.DomainState, action: First.Action) -> Emission<First.Action> {
            switch self {
            case .first(let interactor): interactor.interact(state: &state, action: action)
            case .second(let interactor): interactor.interact(state: &state, action: action)
            }
        }

        public func _resolve() -> _ResolvedInteractor<First.DomainState, First.Action> {
            switch self {
            case .first(let interactor): interactor._resolve()
            case .second(let interactor): interactor._resolve()
            }
        }
    }
}

extension Interactors.Conditional: Sendable where First: Sendable, Second: Sendable {}
