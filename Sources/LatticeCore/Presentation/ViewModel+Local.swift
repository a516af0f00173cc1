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
        let presentation = Presentation(of: feature, at: initialDomainState)
        self.init(
            viewState: presentation.viewState,
            engine: LocalEngine(
                initialDomainState: initialDomainState,
                interactor: feature.interactor,
                reducer: presentation.reducer,
                areStatesEqual: feature.ownComparison
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
        let presentation = Presentation(of: feature)
        self.init(
            viewState: presentation.viewState,
            engine: LocalEngine(
                initialDomainState: feature.initialDomainState,
                interactor: feature.interactor(),
                reducer: presentation.reducer,
                areStatesEqual: nil
            ),
            areViewStatesEqual: { $0 == $1 }
        )
        ReinitializationDetection.note(self, fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
