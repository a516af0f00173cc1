public import LatticeCore

/// A view model for tests. It shows only the changes that the test has asserted, and fails the test for all others.
///
/// ```swift
/// @MainActor @Test func loading() async {
///     let feature = Feature(interactor: CounterInteractor())
///     let viewModel = TestViewModel(initialDomainState: CounterState(), feature: feature)
///     await viewModel.send(.load) { $0.isLoading = true }
///     await viewModel.receive(.loaded(42)) { state in
///         state.isLoading = false
///         state.count = 42
///     }
///     await viewModel.finish()
/// }
/// ```
///
/// The feature runs as in a `ViewModel`, with the same turns and the same effects. An action can follow from a sent
/// one, because an effect emitted it or because the interactor emitted it synchronously with `.action`. Each such
/// action waits, with the states after it, until the test receives it. ``domainState`` and ``viewState`` belong to the
/// last action that was sent or received.
///
/// A test is exhaustive by default, see ``exhaustivity-swift.property``: it describes every change of the domain state,
/// receives every action, and leaves no effect running at the end. An omission fails the test at the line to which it
/// belongs. Actions and effects that are left when the view model is deallocated fail the test at the line that created
/// the view model.
///
/// The test kit waits in real time, for at most `timeout`. This time is not part of what is asserted. For the time that
/// the feature itself waits, use a ``TestClock``.
@MainActor
public final class TestViewModel<F: FeatureTypes> {
    /// The actions of the feature.
    public typealias Action = F.Action
    /// The domain state of the feature.
    public typealias DomainState = F.DomainState
    /// The view state of the feature.
    public typealias ViewState = F.ViewState

    /// The part of the feature's behaviour that a test has to assert.
    public enum Exhaustivity: Sendable, Equatable {
        /// The test asserts everything.
        case on
        /// Assertions have to be true, and everything else is skipped. With `showSkippedAssertions`, skipped changes
        /// and actions are reported as warnings, which do not fail the test.
        case off(showSkippedAssertions: Bool = false)
    }

    typealias Received = ReceivedAction<Action, DomainState, ViewState>

    /// The part of the feature's behaviour that the test has to assert from now on.
    public var exhaustivity = Exhaustivity.on
    /// The domain state after the last action that was sent or received.
    public private(set) var domainState: DomainState
    /// The view state after the last action that was sent or received.
    public private(set) var viewState: ViewState

    let timeout: Duration
    let areEqual: (DomainState, DomainState) -> Bool
    let changes = ChangeSignal()
    /// The sender of the events that the test sends, which the feature reads as `EventContext.sender`. The default is
    /// the program itself. As outside of tests, the feature sees 32 hexadecimal digits as the identity of a client,
    /// which are made from the text.
    ///
    /// ```swift
    /// viewModel.sender = .client(RuntimeEvent.Client(sender: "alice", processID: 712, userID: 1000))
    /// await viewModel.send(.rename("plan")) { $0.name = "plan" }
    /// ```
    public var sender = EventSource.program
    private let site: CallSite
    nonisolated let engine: any TestEngine<Action, DomainState>
    private let reducer: _ResolvedViewStateReducer<DomainState, ViewState>
    private let ownComparison: ((DomainState, DomainState) -> Bool)?
    /// The states after the last turn, which an ordinary view model would show.
    private var newest: (domainState: DomainState, viewState: ViewState)
    private var lastEvent = 0
    /// The handled actions that have not been asserted.
    var received: [Received] = []
    private var events: [SentEvent<Action>] = []
    /// A problem with the patches of view states, until it is reported.
    private var problem: String?

    /// Creates a view model for any engine.
    /// - Parameters:
    ///   - initialDomainState: The initial domain state.
    ///   - presentation: The initial view state, and the reducer.
    ///   - engine: The engine that runs the feature.
    ///   - started: An action that the feature sends before the test sends anything, and that the test has to receive.
    ///   - ownComparison: The feature's own comparison of states, if it has one. It decides whether the view state has
    ///     to be reduced. For states that are not `Equatable`, it also decides whether a state has changed. A feature
    ///     with such states always has one.
    ///   - timeout: The default time to wait for actions and effects.
    ///   - site: The place at which actions and effects that are left at the end are reported.
    init(
        initialDomainState: DomainState,
        presentation: Presentation<DomainState, ViewState>,
        engine: any TestEngine<Action, DomainState>,
        started: Action?,
        ownComparison: ((DomainState, DomainState) -> Bool)?,
        timeout: Duration,
        site: CallSite
    ) {
        domainState = initialDomainState
        viewState = presentation.viewState
        newest = (initialDomainState, presentation.viewState)
        reducer = presentation.reducer
        self.ownComparison = ownComparison
        areEqual = comparison(of: DomainState.self) ?? ownComparison ?? { _, _ in false }
        self.engine = engine
        self.timeout = timeout
        self.site = site
        engine.onHandled = { [weak self] handled in self?.enqueue(handled) }
        if let started { begin(started, as: 0) }
    }

    deinit {
        let running = events.filter(\.isRunning)
        engine.close()
        if case .on = exhaustivity { Self.report(received, running, at: site) }
    }

    /// Ends the view model as if it were deallocated, and reports at the given place. With nil, nothing is reported.
    func end(at site: CallSite?) {
        if let site { reportProblem(at: site) }
        if let site, case .on = exhaustivity { Self.report(received, running, at: site) }
        received = []
        events = []
        engine.close()
    }

    private nonisolated static func report(_ received: [Received], _ running: [SentEvent<Action>], at site: CallSite) {
        if !received.isEmpty { site.fail(FailureText.unasserted(received.map(\.action), "at the end")) }
        let running = running.filter { !$0.isReported }.map(\.action)
        if !running.isEmpty { site.fail(FailureText.running(running, "were still running at the end", .viewModel)) }
    }

    // MARK: - For the extensions

    /// The events whose effects are running.
    var running: [SentEvent<Action>] { events.filter(\.isRunning) }

    /// Waits until the started effects are at work.
    func untilEffectsWork() async {
        await engine.untilEffectsWork(timeout: timeout)
    }

    /// Sends an event.
    /// - Returns: The number and the task of the event.
    func begin(_ action: Action) -> (event: Int, task: EventTask) {
        lastEvent += 1
        return (lastEvent, begin(action, as: lastEvent))
    }

    @discardableResult
    private func begin(_ action: Action, as event: Int) -> EventTask {
        let task = engine.send(action, as: event, from: event > 0 ? sender : .feature)
        events.removeAll { !$0.isRunning }
        events.append(SentEvent(action: action, task: task))
        task.onCompletion { [changes] _ in changes.send() }
        return task
    }

    /// Shows the states after an action.
    func commit(_ snapshot: Received) {
        domainState = snapshot.handled.domainState
        viewState = snapshot.viewState
    }

    /// Removes and returns an action that is being asserted. The actions before it are passed over.
    func take(_ index: Int, at site: CallSite, complaint: (_ passedOver: [Action]) -> String) -> Received {
        reportProblem(at: site)
        if index > 0 {
            complain(complaint(received[..<index].map(\.action)), at: site)
            // Shows the newest state, so that the next failure is only about this action and not about those before it.
            commit(received[index - 1])
        }
        defer { received.removeSubrange(...index) }
        return received[index]
    }

    /// Fails the test if there is a problem with the transport of states.
    func reportProblem(at site: CallSite) {
        for problem in [engine.takeProblem(), problem.take()].compactMap(\.self) { site.fail(problem) }
    }

    /// Reports an omission as a failure or as a warning, depending on ``exhaustivity-swift.property``.
    func complain(_ message: @autoclosure () -> String, at site: CallSite) {
        switch exhaustivity {
        case .on: site.fail(message())
        case .off(let showsSkipped): if showsSkipped { site.note(message()) }
        }
    }

    /// Marks the running effects as reported, so that they are not reported a second time.
    func markRunningAsReported() {
        for index in events.indices where events[index].isRunning { events[index].isReported = true }
    }

    /// Queues the handled actions of a turn, each with its view state. A view model reduces only once in a turn, at its
    /// end. For the earlier actions of a turn, the view state is therefore computed separately, always from the view
    /// state at the beginning of the turn.
    private func enqueue(_ handled: [HandledAction<Action, DomainState>]) {
        let beginning = newest
        for action in handled {
            newest = (action.domainState, beginning.viewState)
            if ownComparison?(beginning.domainState, action.domainState) != true {
                reducer.show(action.domainState, in: &newest.viewState)
            }
            received.append(Received(handled: action, viewState: newest.viewState))
        }
        if engine.hasClients, let last = handled.last {
            problem = problem ?? patchProblem(from: beginning.viewState, to: newest.viewState, after: last.action)
        }
        changes.send()
    }
}

/// Returns `==` if the type is `Equatable`, which generic code may not know.
private func comparison<Value>(of type: Value.Type) -> ((Value, Value) -> Bool)? {
    func equality<Known: Equatable>(_ known: Known.Type) -> (Value, Value) -> Bool { { $0 as? Known == $1 as? Known } }
    return (type as? any Equatable.Type).map { equality($0) }
}
