/// What a view model needs to run a feature in its own process.
public protocol FeatureProtocol: FeatureTypes {
    var interactor: AnyInteractor<DomainState, Action> { get }
    var viewStateReducer: AnyViewStateReducer<DomainState, ViewState> { get }
    var makeInitialViewState: @Sendable (DomainState) -> ViewState { get }
    /// Whether an event has left the domain state as it was, so that the view state need not be reduced.
    var areStatesEqual: @Sendable (DomainState, DomainState) -> Bool { get }
    /// Whether observers need not hear. `==` where the view state is Equatable, else never.
    var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { get }
}

extension FeatureProtocol {
    public var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { { _, _ in false } }
}

extension FeatureProtocol where ViewState: Equatable {
    public var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { { $0 == $1 } }
}
