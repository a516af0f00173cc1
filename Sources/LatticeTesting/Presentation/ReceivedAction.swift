/// A handled action that waits to be asserted, with what it led to.
struct ReceivedAction<Action: Sendable, DomainState: Sendable, ViewState: Sendable>: Sendable {
    let handled: HandledAction<Action, DomainState>
    let viewState: ViewState

    var action: Action { handled.action }
}
