public import LatticeCore

/// A test harness that runs an interactor and records every action and every state.
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
/// The harness uses the runtime of a view model without a view, so effects start and end as they do there. When the
/// harness is deallocated, running effects are cancelled silently. Call ``finish(timeout:fileID:file:line:column:)`` to
/// check that none is running. To assert step by step how each action changes the state, use ``TestViewModel``.
@MainActor
public final class InteractorTestHarness<State: Sendable, Action: Sendable> {
    private let runtime: FeatureRuntime<State, Action>
    private let changes = ChangeSignal()
    /// The sent events. Those whose effects have ended are removed when the next event is sent.
    private var events: [(action: Action, task: EventTask)] = []

    /// The history of states. It begins with the initial state, followed by one state for each action that changed it,
    /// including actions that effects and other actions emitted.
    public private(set) var states: [State]
    /// All handled actions, whether sent or emitted, in order.
    public private(set) var receivedActions: [Action] = []

    /// The sender of the events that the test sends, which the interactor reads as `EventContext.sender`. The default
    /// is the program itself.
    public var sender = EventSource.program
    private var sent: UInt64 = 0

    /// Creates a harness for an interactor whose states are compared with a closure.
    ///
    /// - Parameters:
    ///   - initialState: The initial state.
    ///   - interactor: The interactor.
    ///   - areStatesEqual: Returns whether an action left the state unchanged. The history has no entry for such an
    ///     action.
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

    /// Creates a harness for an interactor whose states are compared with `==`.
    ///
    /// - Parameters:
    ///   - initialState: The initial state.
    ///   - interactor: The interactor.
    public convenience init<I: Interactor & Sendable>(initialState: State, interactor: I)
    where State: Equatable, I.DomainState == State, I.Action == Action {
        self.init(initialState: initialState, interactor: interactor, areStatesEqual: { $0 == $1 })
    }

    /// The current state of the interactor.
    public var currentState: State { runtime.state }
    /// The last entry of the history.
    public var latestState: State? { states.last }

    /// Sends an action.
    ///
    /// When the function returns, the action and the actions that it emitted synchronously have been handled, and its
    /// effects have been started.
    /// - Complexity: O(*n*), where *n* is the number of events whose effects are running, in addition to the work of
    ///   the interactor.
    @discardableResult
    public func send(_ action: Action) -> EventTask {
        sent += 1
        let task = runtime.send(action, in: EventContext(sentBy: sender, number: sent))
        events.removeAll { $0.task.outcome != nil }
        events.append((action, task))
        task.onCompletion { [changes] _ in changes.send() }
        return task
    }

    /// Sends actions one after the other, without waiting for their effects.
    public func send(_ actions: Action...) {
        for action in actions { send(action) }
    }

    /// Sends an action and waits until all of its effects have ended.
    public func sendAndAwait(_ action: Action) async {
        await send(action).finish()
    }

    /// Sends actions one after the other. Each one is sent when all effects of the previous one have ended.
    public func sendSequentially(_ actions: Action...) async {
        for action in actions { await sendAndAwait(action) }
    }

    /// Waits until the history has `count` states, including the initial one.
    /// - Throws: ``TimeoutError`` when `timeout` of real time has passed, or `CancellationError`.
    public func waitForStates(count: Int, timeout: Duration = .seconds(5)) async throws {
        switch await changes.wait(timeout: timeout, until: { states.count >= count }) {
        case .met: return
        case .cancelled: throw CancellationError()
        case .timedOut: throw TimeoutError(expectedCount: count, actualCount: states.count)
        }
    }

    /// Waits until the effects of all sent actions have ended. Fails the test if they are still running after `timeout`
    /// of real time.
    /// - Complexity: O(*n*) for each change, where *n* is the number of events whose effects are running.
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
