/// An interactor that ignores every action.
public struct EmptyInteractor<State: Sendable, Action: Sendable>: Interactor, Sendable {
    public init() {}

    public func interact(state: inout State, action: Action) -> Emission<Action> {
        .none
    }
}
