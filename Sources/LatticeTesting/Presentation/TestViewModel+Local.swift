public import LatticeCore

extension TestViewModel where F: FeatureProtocol {
    /// A view model whose feature runs in this process, on the main actor.
    /// - Parameter timeout: how long to wait for actions and effects, in real time, where a call does not say.
    public convenience init(
        initialDomainState: F.DomainState,
        feature: F,
        timeout: Duration = .seconds(1),
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        self.init(
            initialDomainState: initialDomainState,
            presentation: Presentation(of: feature, at: initialDomainState),
            engine: LocalTestEngine(initialDomainState, feature.interactor),
            ownComparison: feature.ownComparison,
            timeout: timeout,
            site: CallSite(fileID, file, line, column)
        )
    }
}

extension TestViewModel where F: HostedFeature {
    /// A view model whose feature could live in a worker, and runs in this process instead. To have both with the same
    /// test, use ``withTestViewModel(of:placement:timeout:fileID:file:line:column:_:)``.
    public convenience init(
        inProcess feature: F.Type,
        timeout: Duration = .seconds(1),
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let engine = LocalTestEngine<F.Action, F.DomainState>(feature.initialDomainState, feature.interactor())
        self.init(feature, engine: engine, timeout: timeout, site: CallSite(fileID, file, line, column))
    }

    convenience init(
        _ feature: F.Type,
        engine: any TestEngine<F.Action, F.DomainState>,
        timeout: Duration,
        site: CallSite
    ) {
        self.init(
            initialDomainState: feature.initialDomainState,
            presentation: Presentation(of: feature),
            engine: engine,
            ownComparison: nil,
            timeout: timeout,
            site: site
        )
    }
}
