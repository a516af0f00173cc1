import IssueReporting

/// Runs one feature: its state, its turns, and its effects.
///
/// ``Turn`` decides what a turn consists of, and the runtime carries it out. A runtime is confined to the actor that is
/// given at its creation. Everything is called there, except ``cancelAll()`` and ``close()``, which can be called on
/// any thread. A runtime retains nothing but itself. When it is deallocated, its effects are cancelled.
package final class FeatureRuntime<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Unchecked because all variables are only accessed on `isolation`, which `send` asserts. `registry` has its own
    // lock. The variables that every turn accesses are also not checked for overlapping accesses. With the check, the
    // sends of `lattice-bench local` are 0.1 µs slower.

    let isolation: any Actor
    private let registry: EventTreeRegistry
    private let interactor: _ResolvedInteractor<State, Action>
    private let areStatesEqual: (@Sendable (State, State) -> Bool)?
    private let effectStart: EffectStart
    @exclusivity(unchecked) private(set) var turn: Turn
    /// Whether interactors of elements keep state.
    @exclusivity(unchecked) private var elementsRetainState = false
    /// The value of ``RetainingElements/begun`` when `elementsRetainState` was last updated.
    @exclusivity(unchecked) private var knownBegun: UInt64 = 0
    /// The trees whose effects have sent actions since the state was last secured, in `held` mode.
    private var actedTrees: [Int: EventTree] = [:]
    /// The trees whose effects had sent actions when a state was marked.
    private var markedTrees: [Int: EventTree] = [:]

    /// Called at the end of every turn, including those of actions that effects emitted, when the state has settled and
    /// before effects start.
    ///
    /// `changed` is true if the interactor ran, unless the feature's own comparison says that the state is unchanged.
    /// In `held` mode the closure is also called when a named effect has ended and no turn follows.
    @exclusivity(unchecked) package var onTurn: ((_ changed: Bool) -> Void)?
    /// Called at the start of a turn that an effect causes.
    package var onEffectTurn: (() -> Void)?
    /// Called after each action that the interactor has handled, in that order. ``state`` can be read then. It exists
    /// for test kits, because reading the state keeps a copy of it, which a turn otherwise avoids.
    @exclusivity(unchecked) package var onAction: ((_ action: Action, _ origin: ActionOrigin) -> Void)?
    /// Called when an effect starts. The returned closure is called on any thread when the effect is at work: when its
    /// closure begins, or when its stream is open. If the effect never gets that far, it is called at the effect's end.
    /// It can be called more than once.
    package var onEffectStart: (() -> @Sendable () -> Void)?
    /// Opens the spans of effects and of their turns, if they are traced.
    package var tracing: FeatureTracing?
    /// The domain state. During a turn the interactor has exclusive access to it. Read it between turns or in `onTurn`.
    package private(set) var state: State

    /// Creates a runtime.
    /// - Parameters:
    ///   - initialState: The initial domain state.
    ///   - interactor: The interactor of the feature.
    ///   - isolation: The actor on which everything of this runtime is called.
    ///   - effectStart: The time at which effects start.
    ///   - areStatesEqual: Returns whether a turn left the state unchanged. A copy of the state is kept for it during
    ///     each turn. If the argument is nil, no copy is kept and no states are compared.
    package init(
        initialState: State,
        interactor: some Interactor<State, Action>,
        isolation: any Actor,
        effectStart: EffectStart = .afterTurn,
        areStatesEqual: (@Sendable (State, State) -> Bool)? = nil
    ) {
        self.state = initialState
        self.interactor = interactor._resolve()
        self.isolation = isolation
        self.effectStart = effectStart
        self.areStatesEqual = areStatesEqual
        registry = EventTreeRegistry()
        turn = Turn(registry: registry)
    }

    deinit {
        registry.cancelAll(closing: true)
        turn.groups.abandon()
    }

    // MARK: Arriving actions

    /// Handles an action in a turn of its own, after the turn that is running.
    /// - Parameters:
    ///   - action: The action.
    ///   - context: The information about the event that effects can read.
    ///   - event: The number by which the host identifies the event, or 0 for none.
    @discardableResult
    package func send(
        _ action: Action,
        in context: consuming EventContext = EventContext(),
        event: UInt64 = 0
    ) -> EventTask {
        assert(isIsolated())
        if turn.isRunning { return wait(action, context, event) }
        if registry.isClosed { return EventTask(ended: .rejected(.closed)) }
        let task = runEvent(action, context, event, nil)
        finishTurn()
        return task
    }

    private func wait(_ action: Action, _ context: EventContext, _ event: UInt64) -> EventTask {
        let completion = EventCompletion()
        let arrival = Turn.Arrival(event: completion) { [unowned self] in
            _ = runEvent(action, context, event, completion)
        }
        guard turn.wait(arrival) else { return EventTask(ended: .rejected(.overloaded)) }
        return EventTask(completion: completion)
    }

    /// Receives an action of an effect, its end, or both.
    func receive(_ action: Action?, of effect: Effect, isLast: Bool) {
        assert(isIsolated())
        // A job can arrive inside a turn if an observer runs the main run loop.
        guard !turn.isRunning else {
            _ = turn.wait(Turn.Arrival { [unowned self] in run(action, of: effect, isLast: isLast) })
            return
        }
        run(action, of: effect, isLast: isLast)
        finishTurn()
    }

    /// Receives elements of a stream that an effect observes.
    func receive(_ elements: [Action], of effect: Effect) {
        assert(isIsolated())
        guard !turn.isRunning else {
            _ = turn.wait(Turn.Arrival { [unowned self] in run(elements, of: effect) })
            return
        }
        run(elements, of: effect)
        finishTurn()
    }

    // MARK: Turns

    private func run(_ action: Action?, of effect: Effect, isLast: Bool) {
        if let action, effect.isLive {
            runTurn(of: effect) {
                if isLast { turn.endLater(effect) }
                handle(action, in: effect.scope)
            }
        } else if isLast {
            turn.end(effect)
            // There are steps if an append waited for this effect.
            if turn.hasSteps {
                runTurn(of: effect) {}
            } else if turn.named.hasChanges, case .held = effectStart {
                // The host reports the end of the effect, although the state has not changed.
                onTurn?(false)
            }
        }
    }

    /// Handles all elements in one turn, one after another. Everything that follows from an element is handled before
    /// the next one, and each element may use the limits of a whole turn.
    private func run(_ elements: [Action], of effect: Effect) {
        guard effect.isLive else { return }
        runTurn(of: effect) {
            for element in elements where effect.isLive {
                turn.resetCount()
                handle(element, in: effect.scope)
                if turn.hasSteps { settle() }
            }
        }
    }

    private func runEvent(
        _ action: Action,
        _ context: consuming EventContext,
        _ event: UInt64,
        _ completion: EventCompletion?
    ) -> EventTask {
        turn.begin(context, event, completion)
        runTurn { handle(action, in: nil) }
        return turn.endEvent()
    }

    private func runTurn(of effect: Effect, _ body: () -> Void) {
        onEffectTurn?()
        if case .held = effectStart { actedTrees[effect.tree.id] = effect.tree }
        turn.begin()
        turn.current.facts.pointee.effect = effect
        if let span = beginTurn(of: effect) { trace(span) { runTurn(body) } } else { runTurn(body) }
        turn.current.facts.pointee.effect = nil
    }

    /// Runs `body` and everything that follows from it, and then informs the host.
    private func runTurn(_ body: () -> Void) {
        guard let areStatesEqual else {
            settle(after: body)
            onTurn?(turn.hasHandled)
            return
        }
        let before = state
        settle(after: body)
        if turn.isRejected { state = before }
        onTurn?(turn.hasHandled && !areStatesEqual(before, state))
    }

    @inline(__always)
    private func settle(after body: () -> Void) {
        let outer = CurrentTurn.enter(turn.current.facts)
        body()
        if turn.hasSteps { settle() }
        CurrentTurn.leave(outer)
    }

    /// Runs the interactor once. Its emission is what the turn handles next.
    private func handle(_ action: Action, in scope: EffectScope?) {
        guard turn.count() else { return fail(scope, .endlessTurn) }
        // `interactor.interact` would look up the metadata of the struct each time. That took 2 % of the CPU time of an
        // event in `lattice-bench session`.
        turn.current.facts.pointee.scope = scope
        let emission = interactor.handler(&state, action)
        turn.current.facts.pointee.scope = nil
        if onAction != nil { notify(action, scope) }
        let begun = RetainingElements.begun
        if begun != knownBegun {
            knownBegun = begun
            elementsRetainState = interactor.retains?(.elements) == true
        }
        if turn.groups.scopeCount > 0 || elementsRetainState { endScopes(isTurnOver: false) }
        if let content = emission.content { turn.push(content, in: scope) }
    }

    private func notify(_ action: Action, _ scope: EffectScope?) {
        onAction?(action, scope == nil && turn.isFirst ? .sent : .emitted(by: scope?.tree.completion))
    }

    @inline(never)
    private func settle() {
        while let order = turn.next() {
            switch order {
            case .handle(let emission, let scope):
                if case .action(let action) = Emission<Action>(emission).kind { handle(action, in: scope) }
            case .open(let tree): tree.open()
            case .cancel(let effects): cancel(effects)
            case .fail(let scope, let failure): fail(scope, failure)
            case .reject(let rejection, let scope):
                turn.reject(in: scope)?.stop(rejection) ?? fail(scope, .rejectedTooLate(rejection))
            case .sweep: endScopes(isTurnOver: true)
            }
        }
    }

    /// Cancels the effects of children whose part of the state was removed, and drops the interactors of removed
    /// elements.
    private func endScopes(isTurnOver: Bool) {
        var sweep = ScopeSweep(turn: turn.number, isTurnOver: isTurnOver) { self.turn.groups.contains($0) }
        interactor.sweep?(state, &sweep)
        if elementsRetainState { elementsRetainState = interactor.retains?(.elements) == true }
        for scope in sweep.ended { cancel(turn.cancel(scope)) }
    }

    private func cancel(_ effects: [Effect]) {
        for effect in effects { effect.tree.cancel(effect: effect.id) }
    }

    /// Ends an event in the middle of its turn.
    private func fail(_ scope: EffectScope?, _ failure: EffectFailure) {
        reportIssue(failure.message)
        if !turn.current.facts.pointee.trace.isEmpty { turn.current.facts.pointee.failure = failure }
        turn.abort(in: scope).stop(failure)
    }

    // MARK: After a turn

    /// Finishes a turn: events end, effects start, and events that were sent in the meantime are handled.
    private func finishTurn() {
        if turn.leavesWork {
            settleEffects()
            if turn.hasArrivals { runArrivals() }
        }
        turn.end()
    }

    private func settleEffects() {
        // This still counts as a turn, so an event that is sent in response to an outcome waits.
        turn.begin()
        for event in turn.takeEnded() { event.complete() }
        if case .afterTurn = effectStart { start(turn.takeEffects()) }
    }

    private func start(_ effects: [Effect]) {
        for effect in effects where !effect.hasEnded {
            if effect.tree.begin(effect: effect.id) { start(effect) } else { turn.end(effect) }
        }
    }

    /// Handles the events that were sent in the meantime, each in a turn of its own, in order. Events that are sent
    /// during these turns wait too.
    private func runArrivals() {
        var turns = 0
        while turn.hasArrivals {
            for arrival in turn.takeArrivals() {
                turns += 1
                let rejection: EventRejection? =
                    if registry.isClosed { .closed } else { turns > RuntimeLimits.sendsBehindTurn ? .overloaded : nil }
                if let rejection, let event = arrival.event {
                    event.complete(.rejected(rejection))
                } else if let event = arrival.event, let cancellation = event.cancellation {
                    event.hasEffects = false
                    event.complete(.cancelled(cancellation.at(.beforeStart)))
                } else {
                    arrival.run()
                }
                settleEffects()
            }
        }
        if turns > RuntimeLimits.sendsBehindTurn {
            reportIssue(
                """
                \(RuntimeLimits.sendsBehindTurn) turns followed one another without a pause, each sent from inside \
                another one. The remaining events were rejected. Look for an observer that sends an event whenever the \
                state changes.
                """
            )
        }
    }

    func isIsolated() -> Bool {
        isolation.assertIsolated("A feature runtime must be called on the actor that it was created for")
        return true
    }
}

// MARK: - Cancelling everything

extension FeatureRuntime {
    /// The number of events that have effects and have not ended.
    package var runningEvents: Int { registry.count }

    /// Cancels the effects of all events sent so far. It can be called on any thread.
    package func cancelAll() {
        registry.cancelAll(closing: false)
    }

    /// Cancels everything permanently. No effect starts any more, and events are `rejected(.closed)`. It can be called
    /// on any thread.
    package func close() {
        registry.cancelAll(closing: true)
    }
}

// MARK: - Hosts that hand the state to another process before effects start, and may find that this is not possible

extension FeatureRuntime {
    /// The number of effects that turns have left to be started, in `held` mode.
    package var heldEffects: Int { turn.effectCount }

    /// Starts the oldest held effects.
    package func startHeldEffects(_ count: Int = .max) {
        assert(isIsolated())
        start(turn.takeEffects(count))
        // A cancelled effect that never starts may have been the last one of its event.
        if !turn.isRunning { finishTurn() }
    }

    /// Returns the named effects that have started and ended since the last call, or nil if there are none.
    package func takeNamedChanges() -> NamedEffectChanges? { turn.named.takeChanges() }

    /// Returns changes that could not be sent. The next call of ``takeNamedChanges()`` returns them again.
    package func putBack(_ changes: NamedEffectChanges) {
        turn.named.putBack(changes)
    }

    /// Records that the current state can be sent, so that it is never rolled back to an earlier one.
    package func secure() {
        if !actedTrees.isEmpty { actedTrees = [:] }
        if !markedTrees.isEmpty { markedTrees = [:] }
    }

    /// Marks the current state, of which it is not yet known whether it can be sent. Turns continue in the meantime.
    package func mark() {
        markedTrees.merge(actedTrees) { $1 }
        actedTrees = [:]
    }

    /// Records that the marked state can be sent.
    package func secureMarked() {
        markedTrees = [:]
    }

    /// Restores an earlier state, between turns. Events whose effects have sent actions since the state was secured
    /// fail, because the changes of these actions are lost. Effects that sent events have requested since then are
    /// held, and the host cancels them.
    ///
    /// - Returns: Whether there were events with such effects.
    package func rollBack(to state: State, failing failure: EffectFailure) -> Bool {
        assert(isIsolated() && !turn.isRunning)
        self.state = state
        mark()
        let trees = markedTrees.values.sorted { $0.id < $1.id }
        markedTrees = [:]
        for tree in trees {
            tree.stop(failure)
            tree.complete()
        }
        return !trees.isEmpty
    }
}
