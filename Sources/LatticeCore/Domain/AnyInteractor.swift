/// A type-erased interactor, for storage in a property or a collection.
public struct AnyInteractor<State: Sendable, Action: Sendable>: Interactor, Sendable {
    private let base: any Interactor<State, Action> & Sendable

    /// Erases the type of `base`. If `base` is an ``AnyInteractor`` already, this initializer stores it without another
    /// wrapper.
    public init(_ base: some Interactor<State, Action> & Sendable) {
        if let erased = base as? Self {
            self = erased
        } else {
            self.base = base
        }
    }

    /// The interactor itself, because it handles its actions without a body.
    public var body: some Interactor<State, Action> { self }

    /// Forwards the action to the wrapped interactor.
    public func interact(state: inout State, action: Action) -> Emission<Action> {
        base.interact(state: &state, action: action)
    }

    /// Returns the resolved form of the wrapped interactor.
    public func _resolve() -> _ResolvedInteractor<State, Action> {
        base._resolve()
    }
}

extension Interactor where Self: Sendable {
    /// Returns this interactor with its type erased.
    public func eraseToAnyInteractor() -> AnyInteractor<DomainState, Action> {
        AnyInteractor(self)
    }
}

/// An interactor whose author declares that it can be sent to another isolation although the compiler cannot verify it.
public struct UncheckedSendableInteractor<I: Interactor>: Interactor, @unchecked Sendable {
    // Unchecked because the caller of `uncheckedSendable()` takes the responsibility. That is the purpose of this type.
    /// The interactor.
    public let wrapped: I

    /// Wraps an interactor without any check.
    public init(_ wrapped: I) {
        self.wrapped = wrapped
    }

    /// Forwards the action to the wrapped interactor.
    public func interact(state: inout I.DomainState, action: I.Action) -> Emission<I.Action> {
        wrapped.interact(state: &state, action: action)
    }

    /// Returns the resolved form of the wrapped interactor.
    public func _resolve() -> _ResolvedInteractor<I.DomainState, I.Action> {
        wrapped._resolve()
    }
}

extension Interactor {
    /// Declares that this interactor can be sent to another isolation. The compiler does not verify the declaration.
    public func uncheckedSendable() -> UncheckedSendableInteractor<Self> {
        UncheckedSendableInteractor(self)
    }

    /// Returns a type-erased interactor for an interactor that the compiler does not know to be `Sendable`. The
    /// compiler does not verify that it is.
    public func eraseToAnyInteractorUnchecked() -> AnyInteractor<DomainState, Action> {
        AnyInteractor(uncheckedSendable())
    }
}
