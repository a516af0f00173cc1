/// The turn that a runtime is in: what is to be handled, what was emitted, which effects are to start, and what waits
/// behind it.
///
/// Decides only: the runtime asks ``next()`` what to do, and acts. Belongs to its runtime's isolation.
struct Turn<Action: Sendable> {
    /// What comes while a turn runs, and gets one of its own.
    enum Arrival {
        case send(Action, EventID?, EventCompletion)
        case result(Action?, Effect<Action>, isLast: Bool)
        case elements([Action], Effect<Action>)
    }

    /// What the runtime does next.
    enum Order {
        /// Let the interactor handle the action of an emission.
        case handle(Emission<Action>, EffectScope<Action>?)
        /// Make a new tree reachable for cancellation.
        case open(EventTree)
        /// Tell effects to end.
        case cancel([Effect<Action>])
        /// Look for children whose part of the state is gone.
        case sweep
    }

    /// What the turn still has to do.
    private enum Step {
        case emission(Emission<Action>, EffectScope<Action>?, CancelGroup<Action>?)
        /// Begin the next step of an append.
        case next(EffectScope<Action>)
        /// What is synchronous in a step of an append is done.
        case filled(EffectScope<Action>)
        /// What is synchronous in a `cancellable` is done.
        case leave(CancelGroup<Action>)
        case end(Effect<Action>)
    }

    /// Whether one runs: what comes then waits behind it.
    private(set) var isRunning = false
    /// Which of the arrays below have something in them: to ask those whose type is generic takes longer than all the rest
    /// of a turn that emits nothing.
    private(set) var pending: PendingWork = []
    /// Actions that were handled.
    private var handled = 0
    /// The event that is being sent, of which the root scope exists as soon as something asks for it.
    private var identity: EventID?
    private var completion: EventCompletion?
    private var root: EffectScope<Action>?

    /// The last one is next, so no chain of actions is too deep.
    private var steps: [Step] = []
    private var arrivals: [Arrival] = []
    private var ended: [EndedEvent] = []
    private var waitingEffects: [Effect<Action>] = []
    private(set) var groups = CancelGroups<Action>()
    /// A child has a new scope, and its part of the state may have gone in the same turn.
    private var hasNewScope = false
    private var nextID = 0
    private let registry: EventTreeRegistry

    init(registry: EventTreeRegistry) {
        self.registry = registry
    }

    // MARK: Beginning and end

    // Inlined, as all that plain turns call: a method of a generic type looks that type up, which takes longer than they.
    @inline(__always)
    mutating func begin() {
        isRunning = true
        handled = 0
    }

    /// Begins the turn of an event that is sent.
    @inline(__always)
    mutating func begin(_ identity: consuming EventID?, _ completion: EventCompletion?) {
        begin()
        self.identity = consume identity
        self.completion = completion
    }

    /// The state has settled: what the sender of the event gets.
    @inline(__always)
    mutating func endEvent() -> EventTask {
        identity = nil
        return root == nil && completion == nil ? EventTask(ended: .finished) : endTrackedEvent()
    }

    private mutating func endTrackedEvent() -> EventTask {
        let (root, completion) = (root, completion)
        self.root = nil
        self.completion = nil
        if let root {
            release(root)
            return EventTask(completion: root.tree.completion)
        }
        guard let completion else { return EventTask(ended: .finished) }
        completion.hasEffects = false
        finish(.send(completion))
        return EventTask(completion: completion)
    }

    /// Ends the turn when nothing is left behind it.
    @inline(__always)
    mutating func end() {
        isRunning = false
    }

    /// What came meanwhile, to be run behind the turn.
    mutating func takeArrivals() -> [Arrival] {
        pending.remove(.arrivals)
        defer { arrivals = [] }
        return arrivals
    }

    mutating func takeEnded() -> [EndedEvent] {
        pending.remove(.ended)
        defer { ended = [] }
        return ended
    }

    private mutating func finish(_ event: EndedEvent) {
        pending.insert(.ended)
        ended.append(event)
    }

    // MARK: Sends from inside a turn

    /// - Returns: false if too many wait.
    mutating func wait(_ arrival: Arrival) -> Bool {
        if case .send = arrival, arrivals.count >= RuntimeLimits.sendsBehindTurn { return false }
        pending.insert(.arrivals)
        arrivals.append(arrival)
        return true
    }

    // MARK: What the turn does

    /// Counts an action that is about to be handled.
    /// - Returns: false if the turn has handled too many.
    @inline(__always)
    mutating func count() -> Bool {
        handled += 1
        return handled <= RuntimeLimits.actionsPerTurn
    }

    /// Gives what comes next the limits of a turn to itself.
    mutating func resetCount() {
        handled = 0
    }

    /// Whether an interactor was asked.
    @inline(__always)
    var hasHandled: Bool { handled > 0 }

    /// Whether the action that was handled last is the one that was sent, if it belongs to no scope.
    var isFirst: Bool { handled == 1 }

    @inline(never)
    mutating func follow(_ emission: Emission<Action>, in scope: EffectScope<Action>?) {
        push(.emission(emission, scope, nil))
    }

    /// Ends the effect when everything that follows from its last action is done.
    mutating func endLater(_ effect: Effect<Action>) {
        push(.end(effect))
    }

    private mutating func push(_ step: Step) {
        pending.insert(.steps)
        steps.append(step)
    }

    /// What to do next; nil when the state has settled.
    mutating func next() -> Order? {
        while let step = steps.popLast() {
            switch step {
            case .emission(let emission, let scope, let group):
                if let order = follow(emission, scope, group) { return order }
            case .next(let scope):
                guard let step = scope.steps.popFirst() else { continue }
                scope.pending += 1
                // Below the step on the stack, so that it comes when everything synchronous in the step is done.
                push(.filled(scope))
                push(.emission(step, scope, scope.group))
            case .filled(let scope): release(scope)
            case .leave(let group): groups.leave(group)
            case .end(let effect): end(effect)
            }
        }
        pending.remove(.steps)
        guard hasNewScope else { return nil }
        hasNewScope = false
        return .sweep
    }

    private mutating func follow(
        _ emission: Emission<Action>,
        _ scope: EffectScope<Action>?,
        _ group: CancelGroup<Action>?
    ) -> Order? {
        switch emission.kind {
        case .none:
            break
        case .action:
            return .handle(emission, scope)
        case .merge(let children):
            for child in children.reversed() { push(.emission(child, scope, group)) }
        case .cancel(let id):
            return .cancel(cancel(id))
        case .cancellable(let inner, let id, let cancelInFlight):
            let cancelled = cancelInFlight ? cancel(id) : []
            let group = groups.enter(id, in: group)
            if id.isScope { hasNewScope = true }
            push(.leave(group))
            push(.emission(inner, scope, group))
            if !cancelled.isEmpty { return .cancel(cancelled) }
        case .append, .perform, .attempt, .run, .observe:
            guard let scope = scope ?? root else {
                push(.emission(emission, nil, group))
                return .open(makeRoot())
            }
            if case .append(let steps) = emission.kind {
                // Its first unit is its own, given back when the last step has ended.
                release(EffectScope(steps: steps, in: scope, group: group))
            } else if group?.isCancelled != true {
                let effect = Effect(id: makeID(), emission: emission, scope: scope, group: group)
                scope.tree.completion.hasEffects = true
                pending.insert(.effects)
                waitingEffects.append(effect)
            }
        }
        return nil
    }

    /// The scope of the event that is being sent, which has none yet.
    private mutating func makeRoot() -> EventTree {
        let completion = completion ?? EventCompletion(hasEffects: false)
        completion.hasEffects = false
        let tree = EventTree(id: makeID(), identity: identity, completion: completion, registry: registry)
        root = EffectScope(root: tree)
        return tree
    }

    private mutating func makeID() -> Int {
        nextID += 1
        return nextID
    }

    /// Gives up a turn that handles too many actions: what its tree still has to do is dropped, the bookkeeping is kept.
    /// - Returns: the tree, which is to be stopped.
    mutating func abort(in scope: EffectScope<Action>?) -> EventTree {
        let tree = (scope ?? root)?.tree ?? makeRoot()
        finish(.tree(tree))
        steps.removeAll { [root] step in
            if case .emission(_, let scope, _) = step { (scope ?? root)?.tree === tree } else { false }
        }
        return tree
    }

    // MARK: Effects

    /// How many effects turns have left to be started.
    var effectCount: Int { waitingEffects.count }

    /// Takes the oldest of them.
    mutating func takeEffects(_ count: Int = .max) -> [Effect<Action>] {
        guard count < waitingEffects.count else {
            pending.remove(.effects)
            defer { waitingEffects = [] }
            return waitingEffects
        }
        defer { waitingEffects.removeFirst(count) }
        return Array(waitingEffects.prefix(count))
    }

    /// Ends an effect: nothing waits for it any more.
    mutating func end(_ effect: Effect<Action>) {
        guard effect.end() else { return }
        if let group = effect.group { groups.leave(group) }
        release(effect.scope)
    }

    /// Cancels what has the id.
    /// - Returns: the effects that are to be told.
    mutating func cancel(_ id: EffectID) -> [Effect<Action>] {
        let effects = groups.cancel(id)
        for effect in effects { end(effect) }
        return effects
    }

    /// Takes one from what a scope waits for, and goes on to what waits for the scope.
    private mutating func release(_ scope: EffectScope<Action>) {
        var current: EffectScope<Action>? = scope
        while let scope = current {
            scope.pending -= 1
            guard scope.pending == 0 else { return }
            if scope.canStartNextStep { return push(.next(scope)) }
            if let group = scope.group {
                group.remove(scope)
                groups.leave(group)
            }
            if scope.parent == nil { finish(.tree(scope.tree)) }
            if scope.hasFailed { scope.parent?.hasFailed = true }
            current = scope.parent
        }
    }
}

/// What a turn has gathered.
struct PendingWork: OptionSet {
    let rawValue: UInt8

    static let steps = Self(rawValue: 1)
    static let arrivals = Self(rawValue: 2)
    static let ended = Self(rawValue: 4)
    static let effects = Self(rawValue: 8)
}

/// An event whose part in the runtime is over.
enum EndedEvent {
    case tree(EventTree)
    /// A send from inside a turn that turned out to have no effects.
    case send(EventCompletion)

    func complete() {
        switch self {
        case .tree(let tree): tree.complete()
        case .send(let completion): completion.complete(completion.isCancelled ? .cancelled : .finished)
        }
    }
}
