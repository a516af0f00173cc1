public import LatticeCore

extension TestViewModel where F: FeatureProtocol {
    /// Creates a view model whose feature runs in this process on the main actor.
    ///
    /// - Parameters:
    ///   - initialDomainState: The initial domain state.
    ///   - feature: The feature.
    ///   - timeout: The default time to wait for actions and effects, in real time.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
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
            started: nil,
            ownComparison: feature.ownComparison,
            timeout: timeout,
            site: CallSite(fileID, file, line, column)
        )
    }
}

extension TestViewModel where F: HostedFeature {
    /// Creates a view model of a hosted feature that runs in this process instead of a worker. To run the same test in
    /// both, use ``withTestViewModel(of:in:placement:timeout:fileID:file:line:column:_:)``.
    ///
    /// - Parameters:
    ///   - feature: The feature.
    ///   - context: The context that the feature gets.
    ///   - timeout: The default time to wait for actions and effects, in real time.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - file: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    public convenience init(
        inProcess feature: F.Type,
        in context: HostContext = HostContext(),
        timeout: Duration = .seconds(1),
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let state = feature.initialDomainState(in: context)
        let engine = LocalTestEngine<F.Action, F.DomainState>(state, feature.interactor(in: context), in: context)
        self.init(feature, in: context, engine: engine, timeout: timeout, site: CallSite(fileID, file, line, column))
    }

    convenience init(
        _ feature: F.Type,
        in context: HostContext,
        engine: any TestEngine<F.Action, F.DomainState>,
        timeout: Duration,
        site: CallSite
    ) {
        let state = feature.initialDomainState(in: context)
        self.init(
            initialDomainState: state,
            presentation: Presentation(of: feature, at: state),
            engine: engine,
            started: feature.started(context, in: state),
            ownComparison: nil,
            timeout: timeout,
            site: site
        )
    }
}
