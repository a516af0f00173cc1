public import LatticeCore

/// A view model for tests: it shows only what the test has asserted, and fails the test for everything that it has not.
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
/// The feature runs as in a `ViewModel`: the same turns, the same effects. Each action that follows from a sent one,
/// whether an effect emitted it or the interactor at once with `.action`, waits with the states that it
/// led to until the test receives it. ``domainState`` and ``viewState`` are those of the last action that was sent or
/// received.
///
/// Exhaustive unless told otherwise, see ``exhaustivity-swift.property``: every change of the domain state is
/// described, every action received, and no effect runs on at the end. What is missing fails the test at the line that
/// it belongs to; what is left when the view model goes away fails it at the line that made the view model.
///
/// Waiting is done in real time and ends with `timeout`; it is no part of what is asserted. Time that the feature
/// itself waits is to be a ``TestClock``'s.
@MainActor
public final class TestViewModel<F: FeatureTypes> {
    public typealias Action = F.Action
    public typealias DomainState = F.DomainState
    public typealias ViewState = F.ViewState

    /// How much of what happens has to be asserted.
    public enum Exhaustivity: Sendable, Equatable {
        /// Everything.
        case on
        /// What is asserted has to be true, and the rest is skipped. `showSkippedAssertions` tells of what was skipped,
        /// as warnings, which fail no test.
        case off(showSkippedAssertions: Bool = false)
    }

    typealias Received = ReceivedAction<Action, DomainState, ViewState>

    /// How much of what happens has to be asserted; from now on.
    public var exhaustivity = Exhaustivity.on
    /// The domain state after the last action that was sent or received.
    public private(set) var domainState: DomainState
    /// The view state after the last action that was sent or received.
    public private(set) var viewState: ViewState

    let timeout: Duration
    let areEqual: (DomainState, DomainState) -> Bool
    let changes = ChangeSignal()
    private let site: CallSite
    nonisolated let engine: any TestEngine<Action, DomainState>
    private let reducer: _ResolvedViewStateReducer<DomainState, ViewState>
    private let ownComparison: ((DomainState, DomainState) -> Bool)?
    /// The states after the last turn, which a view model would show.
    private var newest: (domainState: DomainState, viewState: ViewState)
    private var lastEvent = 0
    /// Handled, and not asserted.
    var received: [Received] = []
    private var events: [SentEvent<Action>] = []
    /// What is wrong with the changes of view states, until it is said.
    private var problem: String?

    /// A view model over any engine.
    /// - Parameters:
    ///   - started: an action that comes before all that the test sends, and that it is to receive.
    ///   - ownComparison: whether two states need not be told apart, where the feature says so itself: it is asked
    ///     whether there is anything to reduce, and of states that are not Equatable, for which every feature says it,
    ///     what has changed.
    ///   - site: where what is left at the end is reported.
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

    /// Ends the view model at a certain line, as it would end by itself; without a word if there is no line.
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

    /// Events whose effects are running.
    var running: [SentEvent<Action>] { events.filter(\.isRunning) }

    /// Waits until what has started can be relied on.
    func untilEffectsWork() async {
        await engine.untilEffectsWork(timeout: timeout)
    }

    /// Sends an event.
    /// - Returns: its number, and its task.
    func begin(_ action: Action) -> (event: Int, task: EventTask) {
        lastEvent += 1
        return (lastEvent, begin(action, as: lastEvent))
    }

    @discardableResult
    private func begin(_ action: Action, as event: Int) -> EventTask {
        let task = engine.send(action, as: event)
        events.removeAll { !$0.isRunning }
        events.append(SentEvent(action: action, task: task))
        task.onCompletion { [changes] _ in changes.send() }
        return task
    }

    /// Shows what an action led to.
    func commit(_ snapshot: Received) {
        domainState = snapshot.handled.domainState
        viewState = snapshot.viewState
    }

    /// Takes out an action that is asserted; those before it are passed over.
    func take(_ index: Int, at site: CallSite, complaint: (_ passedOver: [Action]) -> String) -> Received {
        reportProblem(at: site)
        if index > 0 {
            complain(complaint(received[..<index].map(\.action)), at: site)
            // The newest state, so that the next failure is about this action and not about those once more.
            commit(received[index - 1])
        }
        defer { received.removeSubrange(...index) }
        return received[index]
    }

    /// Fails the test for what is wrong with how states come from where the feature runs.
    func reportProblem(at site: CallSite) {
        for problem in [engine.takeProblem(), problem.take()].compactMap(\.self) { site.fail(problem) }
    }

    /// Says that something was left out, as loud as ``exhaustivity-swift.property`` wants it.
    func complain(_ message: @autoclosure () -> String, at site: CallSite) {
        switch exhaustivity {
        case .on: site.fail(message())
        case .off(let showsSkipped): if showsSkipped { site.note(message()) }
        }
    }

    /// Does not tell a second time that these go on.
    func markRunningAsReported() {
        for index in events.indices where events[index].isRunning { events[index].isReported = true }
    }

    /// Queues what a turn has handled, each action with the view state that belongs to it: a view model reduces once in
    /// a turn, at its end; what would be shown after an earlier action of the turn is reduced aside, from the same
    /// beginning.
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

/// `==` where the type has it, although what uses it does not know.
private func comparison<Value>(of type: Value.Type) -> ((Value, Value) -> Bool)? {
    func equality<Known: Equatable>(_ known: Known.Type) -> (Value, Value) -> Bool { { $0 as? Known == $1 as? Known } }
    return (type as? any Equatable.Type).map { equality($0) }
}
