/// An interactor and a view state reducer that belong together.
public struct Feature<Action: Sendable, DomainState: Sendable, ViewState: Sendable>: FeatureProtocol, Sendable {
    /// The interactor, which turns actions into state changes and effects.
    public let interactor: AnyInteractor<DomainState, Action>
    /// The reducer, which turns domain states into the view state.
    public let viewStateReducer: AnyViewStateReducer<DomainState, ViewState>
    /// Returns the view state that the first reduction starts from.
    public let makeInitialViewState: @Sendable (DomainState) -> ViewState
    /// Returns whether two domain states are equal.
    ///
    /// The view model calls this closure in two cases only: the initializer received a comparison, or the feature shows
    /// its domain state unchanged and that state is an ``ObservableState``.
    public let areStatesEqual: @Sendable (DomainState, DomainState) -> Bool
    /// Returns whether two view states are equal for observers. If they are, no observer is notified.
    ///
    /// The view model does not call this closure for an ``ObservableState``, whose properties notify their observers
    /// themselves. A NaN that stays a NaN is treated as unchanged, although it is not equal to itself. An array, a set
    /// or a dictionary that was rebuilt and contains a NaN is treated as changed.
    public let areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool
    /// A Boolean value that indicates whether the view model compares domain states with ``areStatesEqual``. Without a
    /// custom comparison it compares view states only.
    let hasCustomComparison: Bool

    private init(
        _ interactor: some Interactor<DomainState, Action> & Sendable,
        _ reducer: some ViewStateReducer<DomainState, ViewState> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool,
        hasCustomComparison: Bool,
        areViewStatesEqual: @escaping @Sendable (ViewState, ViewState) -> Bool
    ) {
        self.interactor = interactor.eraseToAnyInteractor()
        let reducer = reducer.eraseToAnyReducer()
        self.viewStateReducer = reducer
        self.makeInitialViewState = { reducer.initialViewState(for: $0) }
        self.areStatesEqual = areStatesEqual
        self.hasCustomComparison = hasCustomComparison
        self.areViewStatesEqual = areViewStatesEqual
    }
}

extension Feature where ViewState: Equatable {
    /// Creates a feature that compares its domain states with a closure.
    ///
    /// - Parameters:
    ///   - interactor: The interactor that handles the actions.
    ///   - reducer: The reducer that derives the view state from the domain state.
    ///   - areStatesEqual: Returns whether a turn left the domain state unchanged. If it did, the reducer does not run.
    ///     The closure is called in every turn. The view model keeps a copy of the state for it, so the first change to
    ///     an array in a turn copies that array.
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: some ViewStateReducer<DomainState, ViewState> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool
    ) {
        self.init(
            interactor,
            reducer,
            areStatesEqual: areStatesEqual,
            hasCustomComparison: true,
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
    }

    /// Creates a feature that shows its domain state unchanged and compares its domain states with a closure.
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool
    ) where DomainState == ViewState {
        self.init(interactor: interactor, reducer: BuildViewState.asItIs, areStatesEqual: areStatesEqual)
    }
}

extension Feature where DomainState: Equatable, ViewState: Equatable {
    /// Creates a feature whose view states are compared, and whose domain states are not.
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: some ViewStateReducer<DomainState, ViewState> & Sendable
    ) {
        self.init(
            interactor,
            reducer,
            areStatesEqual: { $0 == $1 },
            hasCustomComparison: false,
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
    }

    /// Creates a feature that shows its domain state unchanged.
    public init(interactor: some Interactor<DomainState, Action> & Sendable) where DomainState == ViewState {
        self.init(
            interactor,
            BuildViewState.asItIs,
            areStatesEqual: { $0 == $1 },
            // The view state is compared. A view state that is an `ObservableState` must be compared before it is
            // shown: afterwards its properties belong to their observers and no longer share storage with the domain
            // state.
            hasCustomComparison: ViewState.self is any ObservableState.Type,
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
    }
}

extension Feature where ViewState: ObservableState {
    /// Creates a feature whose view state is observed property by property and cannot be compared as a whole.
    ///
    /// - Parameters:
    ///   - interactor: The interactor that handles the actions.
    ///   - reducer: The reducer that derives the view state from the domain state.
    ///   - areStatesEqual: Returns whether a turn left the domain state unchanged. If it did, the reducer does not run.
    ///     The closure is called in every turn. The view model keeps a copy of the state for it, so the first change to
    ///     an array in a turn copies that array.
    @_disfavoredOverload
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: some ViewStateReducer<DomainState, ViewState> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool
    ) {
        self.init(
            interactor,
            reducer,
            areStatesEqual: areStatesEqual,
            hasCustomComparison: true,
            areViewStatesEqual: { _, _ in false }
        )
    }

    /// Creates a feature that shows its domain state unchanged, observes it property by property, and compares its
    /// domain states with a closure.
    @_disfavoredOverload
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool
    ) where DomainState == ViewState {
        self.init(interactor: interactor, reducer: BuildViewState.asItIs, areStatesEqual: areStatesEqual)
    }
}

extension Feature where DomainState: Equatable, ViewState: ObservableState {
    /// Creates a feature whose view state is observed property by property and cannot be compared as a whole.
    @_disfavoredOverload
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: some ViewStateReducer<DomainState, ViewState> & Sendable
    ) {
        self.init(
            interactor,
            reducer,
            areStatesEqual: { $0 == $1 },
            hasCustomComparison: false,
            areViewStatesEqual: { _, _ in false }
        )
    }
}

extension BuildViewState where DomainState == ViewState {
    /// A reducer whose view state is the domain state.
    package static var asItIs: Self { Self(initial: { $0 }, reducerBlock: { $1 = $0 }) }
}

// These initializers match if the type arguments are swapped, and the compiler then explains the mistake. They have the
// same requirements as the initializers above, so they never match where the types are inferred.
extension Feature where Action: Equatable, ViewState: Equatable {
    /// Not available. The interactor has the action and the state in the wrong order.
    @available(*, unavailable, message: "a feature names its action first: Feature<Action, DomainState, ViewState>")
    public init(
        interactor: some Interactor<Action, DomainState> & Sendable,
        reducer: some ViewStateReducer<Action, ViewState> & Sendable
    ) {
        fatalError("unavailable")  // The compiler refuses every call.
    }

    /// Not available. The interactor has the action and the state in the wrong order.
    @available(*, unavailable, message: "a feature names its action first: Feature<Action, DomainState, ViewState>")
    public init(interactor: some Interactor<Action, DomainState> & Sendable) where Action == ViewState {
        fatalError("unavailable")  // The compiler refuses every call.
    }
}
