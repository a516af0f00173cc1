public import LatticeCore

/// Runs an interactor in a test and writes down every action and every state.
///
/// ```swift
/// @MainActor @Test func loading() async throws {
///     let harness = InteractorTestHarness(initialState: CounterState(), interactor: CounterInteractor())
///     harness.send(.increment, .load)
///     await harness.finish()
///     harness.expectStates([CounterState(count: 0), CounterState(count: 1), CounterState(count: 42)])
/// }
/// ```
///
/// It is the runtime of a view model without its view: effects start and end as they do there. When the harness goes,
/// what still runs is cancelled without a word; ``finish(timeout:fileID:file:line:column:)`` is the check that nothing
/// does. To assert step by step what each action does to the state, use ``TestViewModel``.
@MainActor
public final class InteractorTestHarness<State: Sendable, Action: Sendable> {
    private let runtime: FeatureRuntime<State, Action>
    private let changes = ChangeSignal()
    /// Events whose effects may be running.
    private var events: [(action: Action, task: EventTask)] = []

    /// The initial state, and every state after it: one for each action that changed it, those that effects and other
    /// actions emitted among them.
    public private(set) var states: [State]
    /// All actions that were handled, sent or emitted, in the order in which they were.
    public private(set) var receivedActions: [Action] = []

    /// - Parameter areStatesEqual: whether an action has left the state as it was; then the history has no entry for
    ///   it.
    public init<I: Interactor & Sendable>(
        initialState: State,
        interactor: I,
        areStatesEqual: @escaping @Sendable (_ lhs: State, _ rhs: State) -> Bool
    ) where I.DomainState == State, I.Action == Action {
        states = [initialState]
        runtime = FeatureRuntime(initialState: initialState, interactor: interactor, isolation: MainActor.shared)
        runtime.onAction = { [weak self] action, _ in
            MainActor.assumeIsolated { self?.note(action, areStatesEqual) }
        }
    }

    public convenience init<I: Interactor & Sendable>(initialState: State, interactor: I)
    where State: Equatable, I.DomainState == State, I.Action == Action {
        self.init(initialState: initialState, interactor: interactor, areStatesEqual: { $0 == $1 })
    }

    /// The state that the interactor works on.
    public var currentState: State { runtime.state }
    /// The last entry of the history.
    public var latestState: State? { states.last }

    /// Sends an action. When this returns, it and what it emitted synchronously are handled, and its effects started.
    /// - Complexity: O(*n*), where *n* is the number of events whose effects run, besides what the interactor does.
    @discardableResult
    public func send(_ action: Action) -> EventTask {
        let task = runtime.send(action)
        events.removeAll { $0.task.outcome != nil }
        events.append((action, task))
        task.onCompletion { [changes] _ in changes.send() }
        return task
    }

    /// Sends actions one after the other, without waiting for the effects of one before the next is sent.
    public func send(_ actions: Action...) {
        for action in actions { send(action) }
    }

    /// Sends an action, and waits until all its effects have ended.
    public func sendAndAwait(_ action: Action) async {
        await send(action).finish()
    }

    /// Sends actions one after the other, each when all effects of the one before have ended.
    public func sendSequentially(_ actions: Action...) async {
        for action in actions { await sendAndAwait(action) }
    }

    /// Waits until the history has `count` states, the initial one among them.
    /// - Throws: ``TimeoutError``, or `CancellationError`.
    public func waitForStates(count: Int, timeout: Duration = .seconds(5)) async throws {
        switch await changes.wait(timeout: timeout, until: { states.count >= count }) {
        case .met: return
        case .cancelled: throw CancellationError()
        case .timedOut: throw TimeoutError(expectedCount: count, actualCount: states.count)
        }
    }

    /// Waits until the effects of everything that was sent have ended. Fails the test if they have not after `timeout`
    /// of real time.
    /// - Complexity: O(*n*), where *n* is the number of events whose effects run, each time that something changes.
    public func finish(
        timeout: Duration = .seconds(1),
        fileID: StaticString = #fileID,
        file: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) async {
        let waiting = await changes.wait(timeout: timeout) { running.isEmpty }
        guard waiting == .timedOut else { return }
        CallSite(fileID, file, line, column)
            .fail(FailureText.running(running, "are still running after \(timeout)", .harness))
    }

    private var running: [Action] { events.filter { $0.task.outcome == nil }.map(\.action) }

    private func note(_ action: Action, _ areStatesEqual: (State, State) -> Bool) {
        receivedActions.append(action)
        let state = runtime.state
        if !areStatesEqual(states[states.count - 1], state) { states.append(state) }
        changes.send()
    }
}
