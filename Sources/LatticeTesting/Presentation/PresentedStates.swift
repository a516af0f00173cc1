import LatticeCore

/// The view states that belong to a row of domain states, as a view model would show them.
struct PresentedStates<DomainState, ViewState> {
    private let reducer: _ResolvedViewStateReducer<DomainState, ViewState>
    /// The feature's own, if it has one.
    private let areStatesEqual: ((DomainState, DomainState) -> Bool)?
    private var domainState: DomainState
    private var viewState: ViewState

    init(
        _ presentation: Presentation<DomainState, ViewState>,
        at domainState: DomainState,
        areStatesEqual: ((DomainState, DomainState) -> Bool)?
    ) {
        reducer = presentation.reducer
        viewState = presentation.viewState
        self.domainState = domainState
        self.areStatesEqual = areStatesEqual
    }

    /// Goes on by one turn. A view model reduces once in a turn, at its end; what would be shown after an earlier action
    /// of the turn is reduced aside, from the same beginning.
    mutating func reduce(_ domainStates: [DomainState]) -> [ViewState] {
        let (before, beginning) = (domainState, viewState)
        return domainStates.map { state in
            domainState = state
            viewState = beginning
            if areStatesEqual?(before, state) != true { reducer.reduce(state, into: &viewState) }
            return viewState
        }
    }
}
