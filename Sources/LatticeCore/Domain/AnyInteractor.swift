/// An interactor whose type is hidden, to store it.
public struct AnyInteractor<State: Sendable, Action: Sendable>: Interactor, Sendable {
    private let base: any Interactor<State, Action> & Sendable

    /// Hides the type of `base`; an ``AnyInteractor`` is taken as it is, so erasing twice costs nothing.
    public init<I: Interactor & Sendable>(_ base: I) where I.DomainState == State, I.Action == Action {
        if let erased = base as? Self {
            self = erased
        } else {
            self.base = base
        }
    }

    public var body: some Interactor<State, Action> { self }

    public func interact(state: inout State, action: Action) -> Emission<Action> {
        base.interact(state: &state, action: action)
    }

    public func _resolve() -> _ResolvedInteractor<State, Action> {
        base._resolve()
    }
}

extension Interactor where Self: Sendable {
    /// Hides the type of this interactor.
    public func eraseToAnyInteractor() -> AnyInteractor<DomainState, Action> {
        AnyInteractor(self)
    }
}
