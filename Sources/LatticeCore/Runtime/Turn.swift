/// The turn that a runtime is in: what is to be handled, what was emitted, which effects are to start, and what waits
/// behind it.
///
/// Decides only: the runtime asks ``next()`` what to do, and acts. Belongs to its runtime's isolation. It knows
/// emissions by their content alone: a queue of values whose type is generic looks that type up whenever it is touched.
struct Turn {
    /// What comes while a turn runs, and gets one of its own.
    struct Arrival {
        /// Of an event that is sent.
        var event: EventCompletion?
        let run: () -> Void
    }

    /// What the runtime does next.
    enum Order {
        /// Let the interactor handle the action of an emission.
        case handle(any EmissionContent, EffectScope?)
        /// Make a new tree reachable for cancellation.
        case open(EventTree)
        /// Tell effects to end.
        case cancel([Effect])
        /// Let an event fail, one of whose effects does not start.
        case fail(EffectScope, EffectFailure)
        /// Look for children whose part of the state is gone.
        case sweep
    }

    /// What the turn still has to do.
    fileprivate enum Step {
        case emission(any EmissionContent, EffectScope?, CancelGroup?)
        /// Begin the next step of an append.
        case next(EffectScope)
        /// What is synchronous in a step of an append is done.
        case filled(EffectScope)
        /// What is synchronous in a `cancellable` is done.
        case leave(CancelGroup)
        case end(Effect)
    }

    /// Whether one runs: what comes then waits behind it.
    private(set) var isRunning = false
    /// Grows with each turn.
    private(set) var number: UInt64 = 0
    /// Actions that were handled.
    private var handled = 0
    /// The event that is being sent, of which the root scope exists as soon as something asks for it.
    private var context = EventContext()
    private var event: UInt64 = 0
    private var completion: EventCompletion?
    private(set) var root: EffectScope?

    /// The last one is next, so no chain of actions is too deep.
    fileprivate var steps: [Step] = []
    private var arrivals: [Arrival] = []
    private var ended: [EndedEvent] = []
    fileprivate var waitingEffects: [Effect] = []
    fileprivate(set) var groups = CancelGroups()
    var named = NamedEffects()
    /// A child has a new scope, and its part of the state may have gone in the same turn.
    fileprivate var hasNewScope = false
    private var nextID = 0
    private let registry: EventTreeRegistry

    init(registry: EventTreeRegistry) {
        self.registry = registry
    }

    // MARK: Beginning and end

    mutating func begin() {
        isRunning = true
        number &+= 1
        handled = 0
    }

    /// Begins the turn of an event that is sent.
    ///
    /// - Parameter event: Its number at the host of the runtime; 0 for none.
    mutating func begin(_ context: consuming EventContext, _ event: UInt64, _ completion: EventCompletion?) {
        begin()
        self.context = consume context
        self.event = event
        self.completion = completion
    }

    /// The state has settled: what the sender of the event gets.
    mutating func endEvent() -> EventTask {
        context = EventContext()
        defer { completion = nil }
        if let root = root.take() {
            release(root)
            return EventTask(completion: root.tree.completion)
        }
        guard let completion else { return EventTask(ended: .finished) }
        completion.hasEffects = false
        ended.append(.send(completion))
        return EventTask(completion: completion)
    }

    /// Ends the turn when nothing is left behind it.
    mutating func end() {
        isRunning = false
    }

    /// What came meanwhile, to be run behind the turn.
    mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    mutating func takeEnded() -> [EndedEvent] {
        defer { ended = [] }
        return ended
    }

    /// Whether something is left behind it.
    var leavesWork: Bool { hasArrivals || !ended.isEmpty || !waitingEffects.isEmpty }

    // MARK: What comes while it runs

    var hasArrivals: Bool { !arrivals.isEmpty }

    /// - Returns: false if too many wait.
    mutating func wait(_ arrival: Arrival) -> Bool {
        if arrival.event != nil, arrivals.count >= RuntimeLimits.sendsBehindTurn { return false }
        arrivals.append(arrival)
        return true
    }

    // MARK: What the turn does

    /// Counts an action that is about to be handled.
    /// - Returns: false if the turn has handled too many.
    mutating func count() -> Bool {
        handled += 1
        return handled <= RuntimeLimits.actionsPerTurn
    }

    /// Gives what comes next the limits of a turn to itself.
    mutating func resetCount() {
        handled = 0
    }

    /// Whether an interactor was asked.
    var hasHandled: Bool { handled > 0 }

    /// Whether the action that was handled last is the one that was sent, if it belongs to no scope.
    var isFirst: Bool { handled == 1 }

    /// Puts on the stack what was emitted; nil: the scope of the event being sent.
    mutating func push(_ emission: any EmissionContent, in scope: EffectScope?, _ group: CancelGroup? = nil) {
        steps.append(.emission(emission, scope, group))
    }

    var hasSteps: Bool { !steps.isEmpty }

    /// Ends the effect when everything that follows from its last action is done.
    mutating func endLater(_ effect: Effect) {
        steps.append(.end(effect))
    }

    /// What to do next; nil when the state has settled.
    mutating func next() -> Order? {
        while let step = steps.popLast() {
            switch step {
            case .emission(let emission, let scope, let group):
                if let order = emission.follow(in: &self, scope, group) { return order }
            case .next(let scope):
                guard let step = scope.steps.popFirst() else { continue }
                scope.pending += 1
                // Below the step on the stack, so that it comes when everything synchronous in the step is done.
                steps.append(.filled(scope))
                steps.append(.emission(step, scope, scope.group))
            case .filled(let scope): release(scope)
            case .leave(let group): groups.leave(group)
            case .end(let effect): end(effect)
            }
        }
        guard hasNewScope else { return nil }
        hasNewScope = false
        return .sweep
    }

    /// The scope of the event that is being sent, which has none yet.
    fileprivate mutating func makeRoot() -> EventTree {
        let completion = completion ?? EventCompletion(hasEffects: false)
        completion.hasEffects = false
        let tree = EventTree(
            id: makeID(),
            context: context,
            event: event,
            completion: completion,
            registry: registry
        )
        root = EffectScope(root: tree)
        return tree
    }

    fileprivate mutating func makeID() -> Int {
        nextID += 1
        return nextID
    }

    /// Gives up what the tree of a scope still has to do in this turn; the bookkeeping is kept.
    /// - Returns: the tree, which is to be stopped.
    mutating func abort(in scope: EffectScope?) -> EventTree {
        let tree = (scope ?? root)?.tree ?? makeRoot()
        ended.append(.tree(tree))
        steps.removeAll { [root] step in
            if case .emission(_, let scope, _) = step { (scope ?? root)?.tree === tree } else { false }
        }
        return tree
    }

    // MARK: Effects

    /// How many effects turns have left to be started.
    var effectCount: Int { waitingEffects.count }

    /// Takes the oldest of them.
    mutating func takeEffects(_ count: Int = .max) -> [Effect] {
        guard count < waitingEffects.count else {
            defer { waitingEffects = [] }
            return waitingEffects
        }
        defer { waitingEffects.removeFirst(count) }
        return Array(waitingEffects.prefix(count))
    }

    /// Ends an effect: nothing waits for it any more.
    mutating func end(_ effect: Effect) {
        guard effect.end() else { return }
        if effect.label != nil { named.remove(effect) }
        if let group = effect.group { groups.leave(group) }
        release(effect.scope)
    }

    /// Cancels what has the id.
    /// - Returns: the effects that are to be told.
    mutating func cancel(_ id: EffectID) -> [Effect] {
        let effects = groups.cancel(id)
        for effect in effects { end(effect) }
        return effects
    }

    /// Takes one from what a scope waits for, and goes on to what waits for the scope.
    fileprivate mutating func release(_ scope: EffectScope) {
        var current: EffectScope? = scope
        while let scope = current {
            scope.pending -= 1
            guard scope.pending == 0 else { return }
            if scope.canStartNextStep { return steps.append(.next(scope)) }
            if let group = scope.group {
                group.remove(scope)
                groups.leave(group)
            }
            if scope.parent == nil { ended.append(.tree(scope.tree)) }
            if scope.hasFailed { scope.parent?.hasFailed = true }
            current = scope.parent
        }
    }
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

/// What an emission consists of, whatever its action.
protocol EmissionContent: AnyObject, Sendable {
    /// The name of the effect, if it is one that has a name.
    var label: EffectLabel? { get }

    /// Does what is to be done first, and leaves the rest to the turn.
    func follow(in turn: inout Turn, _ scope: EffectScope?, _ group: CancelGroup?) -> Turn.Order?
}

extension Emission.Content: EmissionContent {
    func follow(in turn: inout Turn, _ scope: EffectScope?, _ group: CancelGroup?) -> Turn.Order? {
        switch kind {
        case .none:
            break
        case .action:
            return .handle(self, scope)
        case .merge(let children):
            for child in children.reversed() {
                if let child = child.content { turn.push(child, in: scope, group) }
            }
        case .cancel(let id):
            return .cancel(turn.cancel(id))
        case .cancellable(let inner, let id, let cancelInFlight):
            let cancelled = cancelInFlight ? turn.cancel(id) : []
            let group = turn.groups.enter(id, in: group)
            if id.isScope { turn.hasNewScope = true }
            turn.steps.append(.leave(group))
            if let inner = inner.content { turn.push(inner, in: scope, group) }
            if !cancelled.isEmpty { return .cancel(cancelled) }
        case .append, .perform, .attempt, .run, .observe:
            guard let scope = scope ?? turn.root else {
                turn.push(self, in: nil, group)
                return .open(turn.makeRoot())
            }
            if case .append(let steps) = kind {
                // Its first unit is its own, given back when the last step has ended.
                turn.release(EffectScope(steps: steps.compactMap(\.content), in: scope, group: group))
            } else if group?.isCancelled != true {
                scope.tree.completion.hasEffects = true
                if let label, let refusal = turn.named.refusal(of: label) { return .fail(scope, refusal) }
                let effect = Effect(id: turn.makeID(), emission: self, scope: scope, group: group)
                if label != nil { turn.named.insert(effect) }
                turn.waitingEffects.append(effect)
            }
        }
        return nil
    }
}
