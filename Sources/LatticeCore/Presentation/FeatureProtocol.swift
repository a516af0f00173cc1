/// What a view model needs to run a feature in its own process.
public protocol FeatureProtocol: FeatureTypes {
    // Said again, so that they follow from the requirements below.
    associatedtype Action
    associatedtype DomainState
    associatedtype ViewState

    var interactor: AnyInteractor<DomainState, Action> { get }
    var viewStateReducer: AnyViewStateReducer<DomainState, ViewState> { get }
    var makeInitialViewState: (DomainState) -> ViewState { get }
    /// Whether an event has left the domain state as it was, so that the view state need not be reduced. Called where
    /// the feature runs: on the main actor.
    var areStatesEqual: (DomainState, DomainState) -> Bool { get }
    /// Whether observers need not hear. Where the view state is Equatable, what `==` says, except that a NaN that stays
    /// a NaN has not changed, as in ``Feature/areViewStatesEqual``; else never.
    var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { get }
}

extension FeatureProtocol {
    public var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { { _, _ in false } }
}

extension FeatureProtocol where ViewState: Equatable {
    public var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { { isUnchanged($0, $1) } }
}

extension FeatureProtocol {
    /// `areStatesEqual` where the feature brings it, for the main actor, which is all that calls it; nil for a
    /// ``Feature`` that was made without.
    package var ownComparison: (@Sendable (DomainState, DomainState) -> Bool)? {
        if let feature = self as? Feature<Action, DomainState, ViewState>, !feature.bringsComparison { return nil }
        // Unchecked: a closure of the feature, which whoever calls this has on the main actor.
        nonisolated(unsafe) let areStatesEqual = areStatesEqual
        return { areStatesEqual($0, $1) }
    }
}

/// The three types that every feature has, wherever its interactor lives.
public protocol FeatureTypes {
    associatedtype Action: Sendable
    associatedtype DomainState: Sendable
    associatedtype ViewState: Sendable
}
