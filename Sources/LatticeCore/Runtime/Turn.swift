/// The current turn of a runtime: the actions to handle, the emissions, the effects to start, and the events that wait
/// for the turn to end.
///
/// It only makes decisions: the runtime asks ``next()`` what to do, and carries it out. It belongs to its runtime's
/// isolation. It refers to emissions by their contents only, because a queue of values of a generic type would look
/// that type up at each access.
struct Turn {
    /// Something that arrives during a turn and is handled in a turn of its own.
    struct Arrival {
        /// The completion of the event, if an event was sent.
        var event: EventCompletion?
        let run: () -> Void
    }

    /// The next operation of the runtime.
    enum Order {
        /// Let the interactor handle the action of an emission.
        case handle(any EmissionContent, EffectScope?)
        /// Make a new tree reachable for cancellation.
        case open(EventTree)
        /// Cancel effects.
        case cancel([Effect])
        /// Let an event fail because one of its effects cannot start.
        case fail(EffectScope, EffectFailure)
        /// Reject the event that is being sent, or let an event that has been applied fail.
        /// It is rare and large, so it is stored elsewhere and the other orders stay small.
        indirect case reject(EventRejection, EffectScope?)
        /// Look for children whose part of the state was removed.
        case sweep
    }

    /// A step that the turn still has to take.
    fileprivate enum Step {
        /// Follow an emission.
        case emission(any EmissionContent, EffectScope?, CancelGroup?)
        /// Start the next step of an append.
        case next(EffectScope)
        /// Note that the synchronous part of an append's step is done.
        case filled(EffectScope)
        /// Note that the synchronous part of a `cancellable` is done.
        case leave(CancelGroup)
        /// End an effect.
        case end(Effect)
    }

    /// Whether a turn is running. Events that arrive during it wait.
    private(set) var isRunning = false
    /// The number of the turn, which grows with each turn.
    private(set) var number: UInt64 = 0
    /// The number of actions that were handled.
    private var handled = 0
    /// What the interactor can read about the turn, such as the context of the event that is being sent.
    let current = CurrentTurn()
    private var event: UInt64 = 0
    private var completion: EventCompletion?
    private(set) var root: EffectScope?
    /// Whether the event that is being sent was rejected.
    private(set) var isRejected = false

    /// The stack of steps. The last one is next, so chains of actions of any length are possible.
    fileprivate var steps: [Step] = []
    private var arrivals: [Arrival] = []
    private var ended: [EndedEvent] = []
    fileprivate var waitingEffects: [Effect] = []
    fileprivate(set) var groups = CancelGroups()
    var named = NamedEffects()
    /// Whether a child has a new scope. Its part of the state may have been removed in the same turn.
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
        isRejected = false
    }

    /// Starts the turn of an event that is sent.
    ///
    /// - Parameter event: The number of the event at the host of the runtime, or 0 for none.
    mutating func begin(_ context: consuming EventContext, _ event: UInt64, _ completion: EventCompletion?) {
        begin()
        if event > 0 {
            context.order = event
        } else if case .started = context.cause {
            // The action comes before the events, and has no place among them.
        } else {
            current.facts.pointee.numbered += 1
            context.order = current.facts.pointee.numbered
        }
        current.facts.pointee.context = consume context
        self.event = event
        self.completion = completion
    }

    /// Ends the synchronous part of an event, when the state has settled.
    /// - Returns: The task for the sender of the event.
    mutating func endEvent() -> EventTask {
        // Most events leave nothing behind that takes memory.
        if current.facts.pointee.context.hasReferences { current.facts.pointee.context = EventContext() }
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

    /// Ends the turn, when no work is left.
    mutating func end() {
        isRunning = false
    }

    /// Returns the arrivals during the turn, which are to be handled after it.
    mutating func takeArrivals() -> [Arrival] {
        defer { arrivals = [] }
        return arrivals
    }

    mutating func takeEnded() -> [EndedEvent] {
        defer { ended = [] }
        return ended
    }

    /// Whether there is work to do after the turn.
    var leavesWork: Bool { hasArrivals || !ended.isEmpty || !waitingEffects.isEmpty }

    // MARK: Arrivals during the turn

    var hasArrivals: Bool { !arrivals.isEmpty }

    /// Adds an arrival.
    /// - Returns: False if too many arrivals are waiting.
    mutating func wait(_ arrival: Arrival) -> Bool {
        if arrival.event != nil, arrivals.count >= RuntimeLimits.sendsBehindTurn { return false }
        arrivals.append(arrival)
        return true
    }

    // MARK: Steps of the turn

    /// Counts an action that is about to be handled.
    /// - Returns: False if the turn has handled too many actions.
    mutating func count() -> Bool {
        handled += 1
        return handled <= RuntimeLimits.actionsPerTurn
    }

    /// Resets the count, so that the next action may use the limits of a whole turn.
    mutating func resetCount() {
        handled = 0
    }

    /// Whether an interactor has run.
    var hasHandled: Bool { handled > 0 }

    /// Whether the last handled action is the one that was sent, provided that it belongs to no scope.
    var isFirst: Bool { handled == 1 }

    /// Pushes an emission onto the stack. A nil scope is the scope of the event that is being sent.
    mutating func push(_ emission: any EmissionContent, in scope: EffectScope?, _ group: CancelGroup? = nil) {
        steps.append(.emission(emission, scope, group))
    }

    var hasSteps: Bool { !steps.isEmpty }

    /// Ends the effect when everything that follows from its last action is done.
    mutating func endLater(_ effect: Effect) {
        steps.append(.end(effect))
    }

    /// Returns the next operation of the runtime, or nil when the state has settled.
    mutating func next() -> Order? {
        while let step = steps.popLast() {
            switch step {
            case .emission(let emission, let scope, let group):
                if let order = emission.follow(in: &self, scope, group) { return order }
            case .next(let scope):
                guard let step = scope.steps.popFirst() else { continue }
                scope.pending += 1
                // This is below the step on the stack, so it is reached when the synchronous part of the step is done.
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

    /// Creates the scope of the event that is being sent, which has none yet.
    fileprivate mutating func makeRoot() -> EventTree {
        let completion = completion ?? EventCompletion(hasEffects: false)
        completion.hasEffects = false
        let tree = EventTree(
            id: makeID(),
            context: current.facts.pointee.context,
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

    /// Drops the remaining steps of a scope's tree in this turn. The counts of the scopes are kept.
    /// - Returns: The tree, which the caller must stop.
    mutating func abort(in scope: EffectScope?) -> EventTree {
        let tree = (scope ?? root)?.tree ?? makeRoot()
        ended.append(.tree(tree))
        steps.removeAll { [root] step in
            if case .emission(_, let scope, _) = step { (scope ?? root)?.tree === tree } else { false }
        }
        return tree
    }

    /// Drops the remaining steps of the event that is being sent, because it is rejected.
    /// - Parameter scope: The scope of the rejected action.
    /// - Returns: The tree, which the caller must stop. Nil if the action was emitted after the event had been applied.
    mutating func reject(in scope: EffectScope?) -> EventTree? {
        guard scope == nil || scope?.tree === root?.tree else { return nil }
        isRejected = true
        return abort(in: scope)
    }

    // MARK: Effects

    /// The number of effects that turns have left to be started.
    var effectCount: Int { waitingEffects.count }

    /// Returns the oldest of these effects and removes them.
    mutating func takeEffects(_ count: Int = .max) -> [Effect] {
        guard count < waitingEffects.count else {
            defer { waitingEffects = [] }
            return waitingEffects
        }
        defer { waitingEffects.removeFirst(count) }
        return Array(waitingEffects.prefix(count))
    }

    /// Ends an effect, so that nothing waits for it any more.
    mutating func end(_ effect: Effect) {
        guard effect.end() else { return }
        if effect.label != nil { named.remove(effect) }
        if let group = effect.group { groups.leave(group) }
        release(effect.scope)
    }

    /// Cancels the groups with an id.
    /// - Returns: The effects to cancel.
    mutating func cancel(_ id: EffectID) -> [Effect] {
        let effects = groups.cancel(id)
        for effect in effects { end(effect) }
        return effects
    }

    /// Decrements the number of things that a scope waits for. If it reaches zero, continues with the scope's next step
    /// or its parent.
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

/// An event that has ended in the runtime.
enum EndedEvent {
    /// The tree of the event.
    case tree(EventTree)
    /// An event that was sent from inside a turn and that turned out to have no effects.
    case send(EventCompletion)

    func complete() {
        switch self {
        case .tree(let tree): tree.complete()
        case .send(let completion):
            completion.complete(completion.cancellation.map { .cancelled($0.at(.whileRunning)) } ?? .finished)
        }
    }
}

/// The contents of an emission of any action type.
protocol EmissionContent: AnyObject, Sendable {
    /// The name of the effect and its interruption policy, if the emission is an effect with a name.
    var label: EffectLabel? { get }

    /// Does the first step of the emission, and leaves the rest to the turn.
    func follow(in turn: inout Turn, _ scope: EffectScope?, _ group: CancelGroup?) -> Turn.Order?
}

extension Emission.Content: EmissionContent {
    func follow(in turn: inout Turn, _ scope: EffectScope?, _ group: CancelGroup?) -> Turn.Order? {
        // This comes before the other parts of a merge. Nothing of a rejected action is handled.
        if rejects, let rejection = kind.rejection { return .reject(rejection, scope) }
        switch kind {
        case .none, .reject:
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
                // The initial count is the append's own. It is released when the last step has ended.
                turn.release(EffectScope(steps: steps.compactMap(\.content), in: scope, group: group))
            } else if group?.isCancelled != true {
                scope.tree.completion.hasEffects = true
                if let label, let refusal = turn.named.refusal(of: label) { return .fail(scope, refusal) }
                let effect = Effect(id: turn.makeID(), emission: self, scope: scope, group: group)
                if label != nil { turn.named.insert(effect) }
                if !turn.current.facts.pointee.trace.isEmpty {
                    effect.trace = turn.current.facts.pointee.trace(of: scope.tree)
                }
                turn.waitingEffects.append(effect)
            }
        }
        return nil
    }
}

/// The origin of an action that a runtime handled.
package enum ActionOrigin: Sendable {
    /// The action was sent from outside.
    case sent
    /// The action was emitted, by an effect or synchronously, in the tree of an event. The value is nil for the event
    /// that is being sent.
    case emitted(by: EventCompletion?)
}
