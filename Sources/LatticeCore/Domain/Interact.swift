/// An interactor that is made of one closure.
public struct Interact<State: Sendable, Action: Sendable>: Interactor, Sendable {
    /// A closure that changes the state in place and returns the actions and effects that follow.
    public typealias Handler = @Sendable (inout State, Action) -> Emission<Action>

    private let handler: Handler

    /// Creates an interactor from a closure.
    ///
    /// - Parameter handler: Changes the state in place and returns the actions and effects that follow. It must not
    ///   block.
    public init(handler: @escaping Handler) {
        self.handler = handler
    }

    /// Calls the closure.
    public func interact(state: inout State, action: Action) -> Emission<Action> {
        handler(&state, action)
    }

    /// Returns a resolved interactor that calls the closure directly.
    public func _resolve() -> _ResolvedInteractor<State, Action> {
        _ResolvedInteractor(handler)
    }
}

/// An interactor that ignores every action.
public struct EmptyInteractor<State: Sendable, Action: Sendable>: Interactor, Sendable {
    /// Creates an interactor that ignores every action.
    public init() {}

    /// Leaves the state unchanged and returns no emission.
    public func interact(state: inout State, action: Action) -> Emission<Action> {
        .none
    }
}
