/// A feature's reducer and view state, as a view model first uses them.
package struct Presentation<DomainState, ViewState> {
    /// The reducer, which keeps its bodies.
    package let reducer: _ResolvedViewStateReducer<DomainState, ViewState>
    /// The view state after the first reduction.
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

    /// Creates the presentation of a feature that runs in this process.
    package init<F: FeatureProtocol>(of feature: F, at domainState: DomainState)
    where F.DomainState == DomainState, F.ViewState == ViewState {
        let reducer = feature.viewStateReducer._resolve()
        // A `Feature` takes the first view state from its reducer. Using the resolved reducer builds no body twice.
        let asksReducer = feature is Feature<F.Action, DomainState, ViewState>
        self.init(reducer, domainState, asksReducer ? reducer.initialViewState : feature.makeInitialViewState)
    }

    /// Creates the presentation of a hosted feature.
    package init<F: HostedFeature>(of feature: F.Type, at domainState: DomainState)
    where F.DomainState == DomainState, F.ViewState == ViewState {
        let reducer = feature.reducer()._resolve()
        self.init(reducer, domainState, reducer.initialViewState)
    }

    /// Creates the presentation of a hosted feature to the viewers with a key.
    package init<F: ViewerFeature>(of feature: F.Type, for key: F.ViewerKey, at domainState: DomainState)
    where F.DomainState == DomainState, F.ViewState == ViewState {
        let reducer = feature.reducer(for: key)._resolve()
        self.init(reducer, domainState, reducer.initialViewState)
    }
}
