import IssueReporting

/// When the effects that a turn asked for start.
package enum EffectStart: Sendable {
    /// At the end of the turn.
    case afterTurn
    /// When the host calls `startHeldEffects()`: after it has handed the state to somebody else, so that no effect
    /// runs before the state that asked for it is known there.
    case held
}

/// Where an action that a runtime handled came from.
package enum ActionOrigin: Sendable {
    /// Sent from outside.
    case sent
    /// Emitted, by an effect or synchronously, in the tree of an event; nil for the event that is being sent.
    case emitted(by: EventCompletion?)
}

/// Runs one feature: its state, its turns, its effects.
///
/// What a turn consists of is asked of ``Turn``; this acts. Confined to the actor given at its creation: everything is
/// called there, except ``cancelAll()`` and ``close()``, which may be called from any thread. It keeps nothing alive
/// but itself: when it goes, its effects are cancelled.
package final class FeatureRuntime<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Unchecked: all variables are only touched on `isolation`, which `send` asserts; `registry` has a lock of its own.
    // Those that every turn touches are not checked for overlapping accesses either: `latticectl bench local`, sends,
    // is 0.1 µs slower otherwise.

    let isolation: any Actor
    private let registry: EventTreeRegistry
    private let interactor: _ResolvedInteractor<State, Action>
    private let areStatesEqual: (@Sendable (State, State) -> Bool)?
    private let effectStart: EffectStart
    @exclusivity(unchecked) private(set) var turn: Turn
    /// Whether interactors of elements keep something, and how many had begun to when the interactor was asked.
    @exclusivity(unchecked) private var keepsElements = false
    @exclusivity(unchecked) private var knownBegun: UInt64 = 0
    /// Trees of which effects have acted since the state was last secured, in `held` mode.
    private var acted: [Int: EventTree] = [:]
    /// Those that had acted when a state was marked.
    private var markedActed: [Int: EventTree] = [:]

    /// Called at the end of every turn, those of actions that effects emitted too, when the state has settled and
    /// before effects start. `changed` is true if the interactor was asked, unless a comparison of the feature's own
    /// says that the state is as it was. In `held` mode also when an effect with a name has ended and no turn follows.
    @exclusivity(unchecked) package var onTurn: ((_ changed: Bool) -> Void)?
    /// Called when a turn begins that an effect asks for.
    package var onEffectTurn: (() -> Void)?
    /// Called after each action that the interactor has handled, in the order in which it handles them; ``state`` may
    /// be read then. For test kits: reading the state keeps a copy of it, which a turn otherwise does without.
    @exclusivity(unchecked) package var onAction: ((_ action: Action, _ origin: ActionOrigin) -> Void)?
    /// Called when an effect starts. What it returns is called, on any thread, when the effect is at work: when its
    /// closure begins, or its stream is open; and at its end, if it never came to that. Maybe more than once.
    package var onEffectStart: (() -> @Sendable () -> Void)?
    /// The domain state. During a turn it is the interactor's; read it between turns or in `onTurn`.
    package private(set) var state: State

    /// - Parameters:
    ///   - isolation: the actor that everything of this runtime is called on.
    ///   - effectStart: when effects start.
    ///   - areStatesEqual: whether a turn has left the state as it was; then a copy of the state is kept during each
    ///     turn, to ask it. By nil nothing is kept, and no state compared.
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

    // MARK: What comes in

    /// Handles an action in a turn of its own, or behind the turn that is running.
    /// - Parameters:
    ///   - context: what effects see of the event.
    ///   - event: the number under which the host knows the event; 0 for none.
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

    /// Takes what an effect has to say: an action, its end, or both.
    func receive(_ action: Action?, of effect: Effect, isLast: Bool) {
        assert(isIsolated())
        // A job can arrive inside a turn where an observer runs the main loop by itself.
        guard !turn.isRunning else {
            _ = turn.wait(Turn.Arrival { [unowned self] in run(action, of: effect, isLast: isLast) })
            return
        }
        run(action, of: effect, isLast: isLast)
        finishTurn()
    }

    /// Takes elements of a stream that an effect observes.
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
            // There are if an append waited for this effect.
            if turn.hasSteps {
                runTurn(of: effect) {}
            } else if turn.named.hasChanges, case .held = effectStart {
                // The host tells of its end, though nothing has changed.
                onTurn?(false)
            }
        }
    }

    /// One turn for all of them, but one after the other: what follows from one comes before the next, and each has the
    /// limits of a turn to itself.
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
        if case .held = effectStart { acted[effect.tree.id] = effect.tree }
        turn.begin()
        runTurn(body)
    }

    /// What `body` does and all that follows from it; then the host is told.
    private func runTurn(_ body: () -> Void) {
        guard let areStatesEqual else {
            body()
            if turn.hasSteps { settle() }
            onTurn?(turn.hasHandled)
            return
        }
        let before = state
        body()
        if turn.hasSteps { settle() }
        onTurn?(turn.hasHandled && !areStatesEqual(before, state))
    }

    /// Runs the interactor once; what it emits is what the turn does next.
    private func handle(_ action: Action, in scope: EffectScope?) {
        guard turn.count() else { return abortTurn(in: scope) }
        let emission = interactor.interact(state: &state, action: action)
        if onAction != nil { notify(action, scope) }
        let begun = KeepingElements.begun
        if begun != knownBegun {
            knownBegun = begun
            keepsElements = interactor.keeps?(.elements) == true
        }
        if turn.groups.scopeCount > 0 || keepsElements { endScopes(isTurnOver: false) }
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
            case .sweep: endScopes(isTurnOver: true)
            }
        }
    }

    /// Cancels the effects of children whose part of the state is gone, and drops the interactors of elements that are.
    private func endScopes(isTurnOver: Bool) {
        var sweep = ScopeSweep(turn: turn.number, isTurnOver: isTurnOver) { self.turn.groups.contains($0) }
        interactor.sweep?(state, &sweep)
        if keepsElements { keepsElements = interactor.keeps?(.elements) == true }
        for scope in sweep.ended { cancel(turn.cancel(scope)) }
    }

    private func cancel(_ effects: [Effect]) {
        for effect in effects { effect.tree.cancel(effect: effect.id) }
    }

    private func abortTurn(in scope: EffectScope?) {
        fail(scope, .endlessTurn)
    }

    /// Ends an event in the middle of its turn.
    private func fail(_ scope: EffectScope?, _ failure: EffectFailure) {
        reportIssue(failure.message)
        turn.abort(in: scope).stop(failure)
    }

    // MARK: Behind a turn

    /// What follows a turn: events end, effects start, and what was sent meanwhile is run.
    private func finishTurn() {
        if turn.leavesWork {
            settleEffects()
            if turn.hasArrivals { runArrivals() }
        }
        turn.end()
    }

    private func settleEffects() {
        // Still inside a turn: whoever hears of an outcome and sends waits behind it.
        turn.begin()
        for event in turn.takeEnded() { event.complete() }
        if case .afterTurn = effectStart { start(turn.takeEffects()) }
    }

    private func start(_ effects: [Effect]) {
        for effect in effects where !effect.hasEnded {
            if effect.tree.begin(effect: effect.id) { start(effect) } else { turn.end(effect) }
        }
    }

    /// Runs what was sent meanwhile, each in a turn of its own, in order; what those send waits again.
    private func runArrivals() {
        var turns = 0
        while turn.hasArrivals {
            for arrival in turn.takeArrivals() {
                turns += 1
                let rejection: EventRejection? =
                    if registry.isClosed { .closed } else { turns > RuntimeLimits.sendsBehindTurn ? .overloaded : nil }
                if let rejection, let event = arrival.event {
                    event.complete(.rejected(rejection))
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
                another; the rest was rejected. Look for an observer that sends whenever the state changes.
                """
            )
        }
    }

    func isIsolated() -> Bool {
        isolation.assertIsolated("A feature runtime is called on the actor that it was created for")
        return true
    }
}

// MARK: - Cancelling everything

extension FeatureRuntime {
    /// Events that have effects and have not ended.
    package var runningEvents: Int { registry.count }

    /// Cancels the effects of all events sent so far. From any thread.
    package func cancelAll() {
        registry.cancelAll(closing: false)
    }

    /// Cancels everything, for good: no effect starts any more, sends are `rejected(.closed)`. From any thread.
    package func close() {
        registry.cancelAll(closing: true)
    }
}

// MARK: - Hosts that hand the state to somebody else before effects start, and may find that they cannot

extension FeatureRuntime {
    /// How many effects turns have left behind, in `held` mode.
    package var heldEffects: Int { turn.effectCount }

    /// Starts the oldest of them.
    package func startHeldEffects(_ count: Int = .max) {
        assert(isIsolated())
        start(turn.takeEffects(count))
        // A cancelled effect that never starts may have been the last of its event.
        if !turn.isRunning { finishTurn() }
    }

    /// Which effects with names have begun and ended since this was asked last; nil: none.
    package func takeNamedChanges() -> NamedEffectChanges? { turn.named.takeChanges() }

    /// What was taken could not be told, and is to be taken again.
    package func putBack(_ changes: NamedEffectChanges) {
        turn.named.putBack(changes)
    }

    /// Says that the present state can be handed on, so that it is never rolled back behind it.
    package func secure() {
        if !acted.isEmpty { acted = [:] }
        if !markedActed.isEmpty { markedActed = [:] }
    }

    /// It is not known yet whether the present state can be handed on; turns go on meanwhile.
    package func mark() {
        markedActed.merge(acted) { $1 }
        acted = [:]
    }

    /// Says that the marked state can be handed on.
    package func secureMarked() {
        markedActed = [:]
    }

    /// Goes back to a state, between turns. Events of which effects have acted since the state was secured fail: what
    /// they have added is lost. The effects that sent events have asked for since wait; their host cancels them.
    ///
    /// - Returns: whether there were such effects.
    package func rollBack(to state: State, failing failure: EffectFailure) -> Bool {
        assert(isIsolated() && !turn.isRunning)
        self.state = state
        mark()
        let trees = markedActed.values.sorted { $0.id < $1.id }
        markedActed = [:]
        for tree in trees {
            tree.stop(failure)
            tree.complete()
        }
        return !trees.isEmpty
    }
}
