import LatticeConcurrency

extension ViewModel where F: FeatureProtocol {
    /// Creates a view model whose feature runs in this process, on the main actor.
    ///
    /// The last four arguments are the caller's position in the source, for ``ReinitializationDetection``.
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
        ReinitializationDetection.note(self, at: CallSite(fileID, filePath, line, column))
    }
}

extension ViewModel where F: HostedFeature {
    /// Creates a view model for a hosted feature that runs in this process instead of a worker. When the initializer
    /// returns, the interactor has handled the action of ``HostedFeature/started(_:in:)``.
    ///
    /// The last four arguments are the caller's position in the source, for ``ReinitializationDetection``.
    ///
    /// - Parameters:
    ///   - feature: The feature.
    ///   - context: The information about its environment that the feature receives.
    ///   - fileID: The module and file of the call, at which a failure is reported.
    ///   - filePath: The file path of the call, at which a failure is reported.
    ///   - line: The line of the call, at which a failure is reported.
    ///   - column: The column of the call, at which a failure is reported.
    public convenience init(
        inProcess feature: F.Type,
        in context: HostContext = HostContext(),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        let state = feature.initialDomainState(in: context)
        let presentation = Presentation(of: feature, at: state)
        self.init(
            viewState: presentation.viewState,
            engine: LocalEngine(
                initialDomainState: state,
                interactor: feature.interactor(in: context),
                reducer: presentation.reducer,
                areStatesEqual: nil,
                started: feature.started(context, in: state),
                context: context
            ),
            areViewStatesEqual: { isUnchanged($0, $1) }
        )
        ReinitializationDetection.note(self, at: CallSite(fileID, filePath, line, column))
    }
}

/// The engine of a view model whose feature runs in the same process, on the main actor.
@MainActor
final class LocalEngine<Action: Sendable, DomainState: Sendable, ViewState: Sendable>: ViewModelEngine {
    let host = HostStatus.local
    nonisolated let runtime: FeatureRuntime<DomainState, Action>
    private let reducer: _ResolvedViewStateReducer<DomainState, ViewState>
    /// The context that a hosted feature receives, or nil for a ``FeatureProtocol`` feature.
    let context: HostContext?
    /// An action that is handled before the first event.
    private var started: Action?
    // Not checked for overlapping accesses, for the same reason and measurement as the stored view state of
    // `ViewModel`.
    @exclusivity(unchecked) private weak var presenter: (any ViewModelPresenter<ViewState>)?

    /// - Parameters:
    ///   - started: An action that is handled before the first event.
    ///   - context: The context that a hosted feature receives.
    init(
        initialDomainState: DomainState,
        interactor: some Interactor<DomainState, Action> & Sendable,
        reducer: _ResolvedViewStateReducer<DomainState, ViewState>,
        areStatesEqual: (@Sendable (DomainState, DomainState) -> Bool)?,
        started: Action? = nil,
        context: HostContext? = nil
    ) {
        self.reducer = reducer
        self.context = context
        self.started = started
        runtime = FeatureRuntime(
            initialState: initialDomainState,
            interactor: interactor,
            isolation: MainActor.shared,
            areStatesEqual: areStatesEqual
        )
        runtime.onTurn = { [weak self] changed in
            guard changed else { return }
            MainActor.assumeIsolated { self?.present() }
        }
    }

    func start(presenter: any ViewModelPresenter<ViewState>) {
        self.presenter = presenter
        if let started = started.take() { runtime.send(started, in: EventContext(cause: .started)) }
    }

    func send(_ action: Action) -> EventTask {
        let trace = TraceContext.currentLines
        return runtime.send(action, in: EventContext(cause: .current(ifTracedBy: trace), trace: trace))
    }

    func send(_ action: Action, deadline: ContinuousClock.Instant) -> EventTask {
        let trace = TraceContext.currentLines
        let context = EventContext(
            cause: .current(ifTracedBy: trace),
            deadline: MonotonicDeadline(deadline),
            trace: trace
        )
        let task = runtime.send(action, in: context)
        // The task is detached from the turn: it makes one hop to the main actor, and no one waits for it.
        task.after(ContinuousClock.now.duration(to: deadline)) {
            Task { @MainActor in task.cancel(Cancellation(by: .deadline)) }
        }
        return task
    }

    nonisolated func close() {
        runtime.close()
    }

    private func present() {
        presenter?.update { reducer.show(runtime.state, in: &$0) }
    }
}
