/// How a feature is shown: its reducer as a view model keeps it, and the view state that it starts from.
@MainActor
package struct Presentation<DomainState, ViewState> {
    package let reducer: _ResolvedViewStateReducer<DomainState, ViewState>
    package let viewState: ViewState

    private init(
        _ reducer: _ResolvedViewStateReducer<DomainState, ViewState>,
        _ domainState: DomainState,
        _ initial: (DomainState) -> ViewState
    ) {
        var viewState = WorkerLocalAccess.deny { initial(domainState) }
        reducer.show(domainState, in: &viewState)
        self.reducer = reducer
        self.viewState = viewState
    }

    package init<F: FeatureProtocol>(of feature: F, at domainState: DomainState)
    where F.DomainState == DomainState, F.ViewState == ViewState {
        let reducer = feature.viewStateReducer._resolve()
        // A `Feature` asks its reducer for the first view state; asking the kept one builds no body twice.
        let asksReducer = feature is Feature<F.Action, DomainState, ViewState>
        self.init(reducer, domainState, asksReducer ? reducer.initialViewState : feature.makeInitialViewState)
    }

    package init<F: HostedFeature>(of feature: F.Type, at domainState: DomainState)
    where F.DomainState == DomainState, F.ViewState == ViewState {
        let reducer = feature.reducer()._resolve()
        self.init(reducer, domainState, reducer.initialViewState)
    }
}
