/// A feature that a view model can run in its own process.
public protocol FeatureProtocol: FeatureTypes {
    // The types are repeated here so that the compiler infers them from the requirements below.

    /// A value that the interactor handles.
    associatedtype Action
    /// The state that the interactor changes.
    associatedtype DomainState
    /// The state that is shown.
    associatedtype ViewState

    /// The interactor, which turns actions into state changes and effects.
    var interactor: AnyInteractor<DomainState, Action> { get }
    /// The reducer, which turns domain states into the view state.
    var viewStateReducer: AnyViewStateReducer<DomainState, ViewState> { get }
    /// Returns the view state that the first reduction starts from.
    var makeInitialViewState: (DomainState) -> ViewState { get }
    /// Returns whether an event left the domain state unchanged, so that the reducer need not run. The view model calls
    /// it on the main actor, where the feature runs.
    var areStatesEqual: (DomainState, DomainState) -> Bool { get }
    /// Returns whether two view states are equal for observers. If they are, no observer is notified.
    ///
    /// By default, the closure compares an `Equatable` view state with `==`, except that a NaN that stays a NaN is
    /// treated as unchanged, as in ``Feature/areViewStatesEqual``. For any other view state, it returns false.
    var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { get }
}

extension FeatureProtocol {
    /// A closure that always returns false, so that every change notifies the observers.
    public var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { { _, _ in false } }
}

extension FeatureProtocol where ViewState: Equatable {
    /// A closure that compares view states with `==`, and treats a NaN that stays a NaN as unchanged.
    public var areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool { { isUnchanged($0, $1) } }
}

extension FeatureProtocol {
    /// The feature's own `areStatesEqual`, or nil for a ``Feature`` that was created without a comparison. It is called
    /// on the main actor only.
    package var ownComparison: (@Sendable (DomainState, DomainState) -> Bool)? {
        if let feature = self as? Feature<Action, DomainState, ViewState>, !feature.hasCustomComparison { return nil }
        // Unchecked because the closure belongs to the feature and may be isolated: its callers are on the main actor.
        nonisolated(unsafe) let areStatesEqual = areStatesEqual
        return { areStatesEqual($0, $1) }
    }
}

/// The three types that every feature has, wherever its interactor runs.
public protocol FeatureTypes {
    /// A value that the interactor handles.
    associatedtype Action: Sendable
    /// The state that the interactor changes.
    associatedtype DomainState: Sendable
    /// The state that is shown.
    associatedtype ViewState: Sendable
}
