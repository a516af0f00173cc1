/// An interactor whose type is hidden, to store it.
public struct AnyInteractor<State: Sendable, Action: Sendable>: Interactor, Sendable {
    private let base: any Interactor<State, Action> & Sendable

    /// Hides the type of `base`; an ``AnyInteractor`` is taken as it is, so erasing twice costs nothing.
    public init(_ base: some Interactor<State, Action> & Sendable) {
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

/// An interactor that its author declares safe to hand to another isolation, where the compiler cannot see it.
public struct UncheckedSendableInteractor<I: Interactor>: Interactor, @unchecked Sendable {
    // Unchecked: whoever calls `uncheckedSendable()` takes the responsibility; that is what this type is for.
    public let wrapped: I

    public init(_ wrapped: I) {
        self.wrapped = wrapped
    }

    public func interact(state: inout I.DomainState, action: I.Action) -> Emission<I.Action> {
        wrapped.interact(state: &state, action: action)
    }

    public func _resolve() -> _ResolvedInteractor<I.DomainState, I.Action> {
        wrapped._resolve()
    }
}

extension Interactor {
    /// Declares that this interactor may be handed to another isolation. The compiler does not check that.
    public func uncheckedSendable() -> UncheckedSendableInteractor<Self> {
        UncheckedSendableInteractor(self)
    }

    /// Hides the type of an interactor that the compiler does not know to be `Sendable`. The compiler does not check.
    public func eraseToAnyInteractorUnchecked() -> AnyInteractor<DomainState, Action> {
        AnyInteractor(uncheckedSendable())
    }
}
