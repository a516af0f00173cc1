/// An interactor and a view state reducer that belong together.
public struct Feature<Action: Sendable, DomainState: Sendable, ViewState: Sendable>: FeatureProtocol, Sendable {
    /// Turns actions into state changes and effects.
    public let interactor: AnyInteractor<DomainState, Action>
    /// Turns domain states into the view state.
    public let viewStateReducer: AnyViewStateReducer<DomainState, ViewState>
    /// Makes the view state that the reducer first changes.
    public let makeInitialViewState: @Sendable (DomainState) -> ViewState
    /// Whether two domain states are the same. Asked only if the feature was given a comparison of its own, or shows
    /// its domain state as it is and that is an `ObservableState`.
    public let areStatesEqual: @Sendable (DomainState, DomainState) -> Bool
    /// Whether two view states look the same: then no observer is notified. Not asked of an `ObservableState`, whose
    /// parts notify their observers by themselves. A NaN that stays a NaN looks the same, although it is not equal to
    /// itself; an array, a set or a dictionary that was made anew with a NaN in it does not.
    public let areViewStatesEqual: @Sendable (ViewState, ViewState) -> Bool
    /// Whether `areStatesEqual` is to be asked: by itself nobody compares domain states.
    let bringsComparison: Bool

    private init(
        _ interactor: some Interactor<DomainState, Action> & Sendable,
        _ reducer: some ViewStateReducer<DomainState, ViewState> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool,
        bringsComparison: Bool,
        areViewStatesEqual: @escaping @Sendable (ViewState, ViewState) -> Bool
    ) {
        self.interactor = interactor.eraseToAnyInteractor()
        let reducer = reducer.eraseToAnyReducer()
        self.viewStateReducer = reducer
        self.makeInitialViewState = { reducer.initialViewState(for: $0) }
        self.areStatesEqual = areStatesEqual
        self.bringsComparison = bringsComparison
        self.areViewStatesEqual = areViewStatesEqual
    }
}

extension Feature where ViewState: Equatable {
    /// - Parameter areStatesEqual: whether a turn has left the domain state as it was; then nothing is reduced. Asked
    ///   in every turn, for which a copy of the state is kept: the first change to an array then copies it.
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: some ViewStateReducer<DomainState, ViewState> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool
    ) {
        self.init(
            interactor,
            reducer,
            areStatesEqual: areStatesEqual,
            bringsComparison: true,
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
    }

    /// A feature that shows its domain state as it is.
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool
    ) where DomainState == ViewState {
        self.init(interactor: interactor, reducer: BuildViewState.asItIs, areStatesEqual: areStatesEqual)
    }
}

extension Feature where DomainState: Equatable, ViewState: Equatable {
    /// A feature of which what is shown is compared, and nothing else.
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: some ViewStateReducer<DomainState, ViewState> & Sendable
    ) {
        self.init(
            interactor,
            reducer,
            areStatesEqual: { $0 == $1 },
            bringsComparison: false,
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
    }

    /// A feature that shows its domain state as it is.
    public init(interactor: some Interactor<DomainState, Action> & Sendable) where DomainState == ViewState {
        self.init(
            interactor,
            BuildViewState.asItIs,
            areStatesEqual: { $0 == $1 },
            // What is shown is compared: of a state whose parts are observed by themselves before it is shown, since
            // then they belong to their observers and no longer share their storage with it.
            bringsComparison: ViewState.self is any ObservableState.Type,
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
    }
}

extension Feature where ViewState: ObservableState {
    /// For a view state that is observed property by property and cannot be compared as a whole.
    /// - Parameter areStatesEqual: whether a turn has left the domain state as it was; then nothing is reduced. Asked
    ///   in every turn, for which a copy of the state is kept: the first change to an array then copies it.
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
            bringsComparison: true,
            areViewStatesEqual: { _, _ in false }
        )
    }

    /// As above, for a feature that shows its domain state as it is.
    @_disfavoredOverload
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        areStatesEqual: @escaping @Sendable (DomainState, DomainState) -> Bool
    ) where DomainState == ViewState {
        self.init(interactor: interactor, reducer: BuildViewState.asItIs, areStatesEqual: areStatesEqual)
    }
}

extension Feature where DomainState: Equatable, ViewState: ObservableState {
    /// For a view state that is observed property by property and cannot be compared as a whole.
    @_disfavoredOverload
    public init(
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: some ViewStateReducer<DomainState, ViewState> & Sendable
    ) {
        self.init(
            interactor,
            reducer,
            areStatesEqual: { $0 == $1 },
            bringsComparison: false,
            areViewStatesEqual: { _, _ in false }
        )
    }
}

extension BuildViewState where DomainState == ViewState {
    /// Shows the domain state.
    package static var asItIs: Self { Self(initial: { $0 }, reducerBlock: { $1 = $0 }) }
}

// With the types swapped, what fits is one of these, and the compiler says so. They ask for what those above ask for:
// so they never fit where the types are to be inferred.
extension Feature where Action: Equatable, ViewState: Equatable {
    /// Not a feature: an interactor of the action and the state in the other order.
    @available(*, unavailable, message: "a feature names its action first: Feature<Action, DomainState, ViewState>")
    public init(
        interactor: some Interactor<Action, DomainState> & Sendable,
        reducer: some ViewStateReducer<Action, ViewState> & Sendable
    ) {
        fatalError("unavailable")  // The compiler lets nobody call it.
    }

    /// Not a feature: an interactor of the action and the state in the other order.
    @available(*, unavailable, message: "a feature names its action first: Feature<Action, DomainState, ViewState>")
    public init(interactor: some Interactor<Action, DomainState> & Sendable) where Action == ViewState {
        fatalError("unavailable")  // The compiler lets nobody call it.
    }
}
