extension ViewModel where F: FeatureProtocol {
    /// A view model whose feature runs in this process, on the main actor.
    ///
    /// The last four arguments are the caller's place in the source, for ``ReinitializationDetection``.
    public convenience init(
        initialDomainState: F.DomainState,
        feature: F,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let reducer = feature.viewStateReducer._resolve()
        // A `Feature` asks its reducer for the first view state; asking the kept one builds no body twice.
        var viewState =
            feature is Feature<F.Action, F.DomainState, F.ViewState>
            ? reducer.initialViewState(for: initialDomainState)
            : feature.makeInitialViewState(initialDomainState)
        reducer.reduce(initialDomainState, into: &viewState)
        self.init(
            viewState: viewState,
            engine: LocalEngine(
                initialDomainState: initialDomainState,
                interactor: feature.interactor,
                reducer: reducer,
                areStatesEqual: feature.areStatesEqual
            ),
            areViewStatesEqual: feature.areViewStatesEqual
        )
        ReinitializationDetection.note(self, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}

extension ViewModel where F: HostedFeature {
    /// A view model whose feature could live in a worker, and runs in this process instead.
    ///
    /// The last four arguments are the caller's place in the source, for ``ReinitializationDetection``.
    public convenience init(
        inProcess feature: F.Type,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let reducer = feature.reducer()._resolve()
        let domainState = feature.initialDomainState
        var viewState = reducer.initialViewState(for: domainState)
        reducer.reduce(domainState, into: &viewState)
        self.init(
            viewState: viewState,
            engine: LocalEngine(
                initialDomainState: domainState,
                interactor: feature.interactor(),
                reducer: reducer,
                areStatesEqual: { $0 == $1 }
            ),
            areViewStatesEqual: { $0 == $1 }
        )
        ReinitializationDetection.note(self, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
