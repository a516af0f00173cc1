/// An interactor made of one closure.
public struct Interact<State: Sendable, Action: Sendable>: Interactor, Sendable {
    /// Changes the state in place and says what is to happen next.
    public typealias Handler = @Sendable (inout State, Action) -> Emission<Action>

    private let handler: Handler

    /// - Parameter handler: changes the state in place and says what is to happen next. Must not block.
    public init(handler: @escaping Handler) {
        self.handler = handler
    }

    public func interact(state: inout State, action: Action) -> Emission<Action> {
        handler(&state, action)
    }

    public func _resolve() -> _ResolvedInteractor<State, Action> {
        _ResolvedInteractor(handler)
    }
}

/// An interactor that ignores every action.
public struct EmptyInteractor<State: Sendable, Action: Sendable>: Interactor, Sendable {
    public init() {}

    public func interact(state: inout State, action: Action) -> Emission<Action> {
        .none
    }
}
