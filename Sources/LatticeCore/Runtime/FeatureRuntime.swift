import IssueReporting

/// Runs one feature: its state, its turns, its effects.
///
/// Confined to the actor given at its creation: everything is called there, except ``cancelAll()`` and ``close()``,
/// which may be called from any thread. It keeps nothing alive but itself: when it goes, its effects are cancelled.
package final class FeatureRuntime<State: Sendable, Action: Sendable>: @unchecked Sendable {
    // Unchecked, as to threads and to overlapping accesses: all variables are only touched on `isolation`, which `send` asserts; `registry` has a lock of its own.

    private enum Queued {
        case send(Action, EventID?, EventCompletion)
        case result(Action?, Effect<Action>, isLast: Bool)
        case elements([Action], Effect<Action>)
    }

    let isolation: any Actor
    let registry = EventTreeRegistry()
    let interactor: _ResolvedInteractor<State, Action>
    private let areStatesEqual: @Sendable (State, State) -> Bool
    private let effectStart: EffectStart
    @exclusivity(unchecked) private var detection: ChangeDetection
    /// The host is being told of a change that nobody has looked for.
    @exclusivity(unchecked) private var isTakenForChange = false

    /// The domain state. During a turn it is the interactor's; read it between turns or in `onTurn`.
    package internal(set) var state: State
    /// Called at the end of every turn, those of actions that effects emitted too, when the state has settled and
    /// before effects start. `changed` is true if the state did, and may be true if nobody looked, see
    /// ``ChangeDetection``.
    @exclusivity(unchecked) package var onTurn: ((_ changed: Bool) -> Void)?
    /// Called after each action that the interactor has handled, in the order in which it handles them; ``state`` may
    /// be read then. For test kits: reading the state keeps a copy of it, which a turn otherwise does without.
    @exclusivity(unchecked) package var onAction: ((_ action: Action, _ origin: ActionOrigin) -> Void)?
    /// Called when an effect starts. What it returns is called, on any thread, when the effect is at work: when its
    /// closure begins, or its stream is open; and at its end, if it never came to that. Maybe more than once.
    @exclusivity(unchecked) package var onEffectStart: (() -> @Sendable () -> Void)?

    @exclusivity(unchecked) private(set) var isInTurn = false
    @exclusivity(unchecked) private var queue: [Queued] = []
    @exclusivity(unchecked) private var actionsInTurn = 0
    @exclusivity(unchecked) private var nextID = 0
    /// The event that is being sent: its root scope exists as soon as something asks for it.
    @exclusivity(unchecked) private var root: EffectScope<Action>?
    @exclusivity(unchecked) private var eventIdentity: EventID?
    @exclusivity(unchecked) private var eventCompletion: EventCompletion?
    @exclusivity(unchecked) private var endedTrees: [EventTree] = []
    /// Sends from inside a turn that turned out to have no effects.
    @exclusivity(unchecked) private var endedSends: [EventCompletion] = []
    @exclusivity(unchecked) var waitingEffects: [Effect<Action>] = []
    /// Trees of which effects have acted since the state was last secured, in `held` mode.
    @exclusivity(unchecked) var acted: [Int: EventTree] = [:]
    /// What the running turn still has to do; the last one is next.
    @exclusivity(unchecked) var steps: [Step] = []
    // The numbers of steps, queued sends and waiting effects beside their arrays: asking an array of a generic type
    // whether it is empty looks its type up, which is a good part of the cost of a turn that has none of them.
    @exclusivity(unchecked) var stepCount = 0
    @exclusivity(unchecked) private var queuedCount = 0
    @exclusivity(unchecked) var waitingCount = 0
    @exclusivity(unchecked) var groups: [EffectID: [CancelGroup<Action>]] = [:]
    /// How many of the groups belong to children that have a part of the state to themselves.
    @exclusivity(unchecked) var scopeCount = 0
    /// One of them is new, and its part of the state may have gone in the same turn.
    @exclusivity(unchecked) var hasNewScope = false

    /// - Parameters:
    ///   - isolation: the actor that everything of this runtime is called on.
    ///   - effectStart: when effects start.
    ///   - looksAtSmall: see ``ChangeDetection``; false where a state that has not changed may be passed on.
    ///   - areStatesEqual: whether a turn has left the state as it was.
    package init(
        initialState: State,
        interactor: some Interactor<State, Action>,
        isolation: any Actor,
        effectStart: EffectStart = .afterTurn,
        looksAtSmall: Bool = true,
        areStatesEqual: @escaping @Sendable (State, State) -> Bool
    ) {
        self.state = initialState
        self.interactor = interactor._resolve()
        self.isolation = isolation
        self.effectStart = effectStart
        detection = ChangeDetection(isTrivial: _isPOD(State.self), looksAtSmall: looksAtSmall)
        self.areStatesEqual = areStatesEqual
    }

    deinit {
        registry.cancelAll(closing: true)
        for group in groups.values.joined() { group.abandon() }
    }

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

    /// Handles an action in a turn of its own, or behind the turn that is running.
    /// - Parameter identity: what effects see as `EventID.current`.
    @discardableResult
    package func send(_ action: Action, identity: consuming EventID? = nil) -> EventTask {
        assert(isIsolated())
        if isInTurn { return enqueue(action, identity) }
        if registry.isClosed { return EventTask(ended: .rejected(.closed)) }
        let task = runEvent(action, identity, nil)
        finishTurn()
        return task
    }

    /// Takes what an effect has to say: an action, its end, or both.
    func receive(_ action: Action?, of effect: Effect<Action>, isLast: Bool) {
        assert(isIsolated())
        // A job can arrive inside a turn where an observer runs the main loop by itself.
        if isInTurn { return enqueue(.result(action, effect, isLast: isLast)) }
        deliver(action, of: effect, isLast: isLast)
        finishTurn()
    }

    /// Takes elements of a stream that an effect observes.
    func receive(_ elements: [Action], of effect: Effect<Action>) {
        assert(isIsolated())
        if isInTurn { return enqueue(.elements(elements, effect)) }
        deliver(elements, of: effect)
        finishTurn()
    }

    // MARK: - Turns

    /// One turn: what `begin` does and all that follows from it, then the comparison, then the host is told.
    private func runTurn(_ begin: () -> Void) {
        isInTurn = true
        actionsInTurn = 0
        if detection.beginTurn() {
            let before = state
            settle(begin)
            let changed = !areStatesEqual(before, state)
            detection.record(changed: changed)
            if detection.isMeasuringDue { detection.record(isLarge: CopyCost.isHigh(of: state)) }
            onTurn?(changed)
        } else {
            settle(begin)
            isTakenForChange = true
            onTurn?(true)
            isTakenForChange = false
        }
    }

    /// For `onTurn`: the turn has changed what is made from the state. Then nobody needs to look whether turns do.
    package func confirmChange() {
        guard isTakenForChange else { return }
        isTakenForChange = false
        detection.confirmChange()
    }

    private func runEvent(
        _ action: Action,
        _ identity: consuming EventID?,
        _ completion: EventCompletion?
    ) -> EventTask {
        eventIdentity = consume identity
        eventCompletion = completion
        runTurn { apply(action, in: nil) }
        return endEvent()
    }

    private func deliver(_ action: Action?, of effect: Effect<Action>, isLast: Bool) {
        if let action, effect.isLive {
            if case .held = effectStart { noteAct(of: effect) }
            runTurn {
                if isLast { push(.end(effect)) }
                apply(action, in: effect.scope)
            }
        } else if isLast {
            end(effect)
            // Steps are left if an append waited for this effect.
            guard stepCount > 0 else { return }
            if case .held = effectStart { noteAct(of: effect) }
            runTurn {}
        }
    }

    /// One turn for all of them, but one after the other: what follows from one comes before the next, and each has the
    /// limits of a turn to itself.
    private func deliver(_ elements: [Action], of effect: Effect<Action>) {
        guard effect.isLive else { return }
        if case .held = effectStart { noteAct(of: effect) }
        runTurn {
            for element in elements where effect.isLive {
                actionsInTurn = 0
                settle { apply(element, in: effect.scope) }
            }
        }
    }

    private func settle(_ begin: () -> Void) {
        begin()
        if stepCount > 0 { performSteps() }
        while hasNewScope {
            hasNewScope = false
            endScopes(isTurnOver: true)
            performSteps()
        }
    }

    @inline(never)
    private func performSteps() {
        while stepCount > 0 {
            stepCount -= 1
            perform(steps.removeLast())
        }
    }

    /// Runs the interactor once; what it emits is the turn's next step.
    func apply(_ action: Action, in scope: EffectScope<Action>?) {
        actionsInTurn += 1
        if actionsInTurn > RuntimeLimits.actionsPerTurn { return stopEndlessTurn(in: scope) }
        let emission = interactor.interact(state: &state, action: action)
        if onAction != nil { tell(action, scope) }
        if scopeCount > 0 { endScopes(isTurnOver: false) }
        if emission.isNone { return }
        follow(emission, in: scope)
    }

    // A function of its own: what it needs to know of its types at run time is not looked up for actions without effects.
    @inline(never)
    private func follow(_ emission: Emission<Action>, in scope: EffectScope<Action>?) {
        push(.emission(emission, scope, nil))
    }

    @inline(never)
    private func tell(_ action: Action, _ scope: EffectScope<Action>?) {
        // The first action of a turn that no effect has begun is the one that was sent.
        let isSent = scope == nil && actionsInTurn == 1
        onAction?(action, isSent ? .sent : .emitted(by: scope?.tree.completion))
    }

    private func stopEndlessTurn(in scope: EffectScope<Action>?) {
        let failure = EffectFailure.endlessTurn
        reportIssue(failure.message)
        let tree = (scope ?? rootScope()).tree
        tree.stop(failure)
        endedTrees.append(tree)
        // What the tree still has to do is dropped; the bookkeeping is kept.
        steps.removeAll { step in
            if case .emission(_, let scope, _) = step { (scope ?? root)?.tree === tree } else { false }
        }
        stepCount = steps.count
    }

    /// The end of a sent event's turn: what its sender gets.
    private func endEvent() -> EventTask {
        let completion = eventCompletion
        defer {
            root = nil
            eventIdentity = nil
            eventCompletion = nil
        }
        guard let root else {
            guard let completion else { return EventTask(ended: .finished) }
            completion.hasEffects = false
            endedSends.append(completion)
            return EventTask(completion: completion)
        }
        release(root)
        return EventTask(completion: root.tree.completion)
    }

    /// What follows a turn: events end, effects start, and what was sent meanwhile is run.
    func finishTurn() {
        settleEffects()
        if queuedCount > 0 { drainQueue() }
        isInTurn = false
    }

    private func settleEffects() {
        // Still inside the turn: whoever hears of an outcome and sends is queued.
        isInTurn = true
        if !endedTrees.isEmpty || !endedSends.isEmpty { completeEnded() }
        if waitingCount > 0, case .afterTurn = effectStart { startWaitingEffects(waitingCount) }
    }

    private func completeEnded() {
        let trees = endedTrees
        let sends = endedSends
        endedTrees = []
        endedSends = []
        for tree in trees { tree.complete() }
        for send in sends { send.complete(send.isCancelled ? .cancelled : .finished) }
    }

    // MARK: - Sends from inside a turn

    private func enqueue(_ action: Action, _ identity: EventID?) -> EventTask {
        guard queuedCount < RuntimeLimits.sendsBehindTurn else { return EventTask(ended: .rejected(.overloaded)) }
        let completion = EventCompletion()
        enqueue(.send(action, identity, completion))
        return EventTask(completion: completion)
    }

    private func enqueue(_ queued: Queued) {
        queue.append(queued)
        queuedCount += 1
    }

    /// Runs what was sent meanwhile, each in a turn of its own, in order; what those send is queued again.
    private func drainQueue() {
        var turns = 0
        while queuedCount > 0 {
            let batch = queue
            queue = []
            queuedCount = 0
            for queued in batch {
                turns += 1
                run(queued, isOverLimit: turns > RuntimeLimits.sendsBehindTurn)
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

    private func run(_ queued: Queued, isOverLimit: Bool) {
        switch queued {
        case .send(_, _, let completion) where registry.isClosed: completion.complete(.rejected(.closed))
        case .send(_, _, let completion) where isOverLimit: completion.complete(.rejected(.overloaded))
        case .send(let action, let identity, let completion): _ = runEvent(action, identity, completion)
        case .result(let action, let effect, let isLast): deliver(action, of: effect, isLast: isLast)
        case .elements(let elements, let effect): deliver(elements, of: effect)
        }
        settleEffects()
    }

    // MARK: - Bookkeeping of effects

    func makeID() -> Int {
        nextID += 1
        return nextID
    }

    /// The scope of the event that is being sent.
    func rootScope() -> EffectScope<Action> {
        if let root { return root }
        let completion = eventCompletion ?? EventCompletion(hasEffects: false)
        completion.hasEffects = false
        let tree = EventTree(id: makeID(), identity: eventIdentity, completion: completion, registry: registry)
        tree.open()
        let scope = EffectScope<Action>(root: tree)
        root = scope
        return scope
    }

    /// Takes one from what a scope waits for, and goes on to what waits for the scope.
    func release(_ scope: EffectScope<Action>) {
        var current: EffectScope<Action>? = scope
        while let scope = current {
            scope.pending -= 1
            guard scope.pending == 0 else { return }
            if scope.canStartNextStep {
                push(.next(scope))
                return
            }
            if let group = scope.group {
                group.remove(scope)
                drop(group)
            }
            if scope.parent == nil { endedTrees.append(scope.tree) }
            if scope.hasFailed { scope.parent?.hasFailed = true }
            current = scope.parent
        }
    }

    func isIsolated() -> Bool {
        isolation.assertIsolated("A feature runtime is called on the actor that it was created for")
        return true
    }
}
