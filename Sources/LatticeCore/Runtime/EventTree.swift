import LatticeConcurrency

/// The running effects of one event and of the actions that they emit: what `cancel` has to reach from any thread.
///
/// Which effects are still to come is bookkeeping of the runtime (``EffectScope``); here are the tasks and the verdict.
final class EventTree: EventCancelling {
    fileprivate struct State {
        /// Nothing starts any more, and results are dropped.
        var isStopped = false
        /// Stopped before everything had ended.
        var isCutShort = false
        var isComplete = false
        /// The effects at work; the task comes a moment after its effect.
        var tasks: [Int: Task<Void, Never>?] = [:]
        /// Made when an effect at work is cancelled, which most never are.
        var leaving: CancelledEffects?
        var failure: EffectFailure?
        var sawCancellation = false
    }

    let id: Int
    let context: EventContext
    /// The number of the event at the runtime's host; 0 for none.
    let event: UInt64
    let completion: EventCompletion
    private let registry: EventTreeRegistry
    private let state = Locked(State())

    init(
        id: Int,
        context: EventContext,
        event: UInt64,
        completion: EventCompletion,
        registry: EventTreeRegistry
    ) {
        self.id = id
        self.context = context
        self.event = event
        self.completion = completion
        self.registry = registry
    }

    /// Makes the tree reachable for cancellation. A tree that is born in a closed runtime is cancelled at once.
    func open() {
        if !registry.insert(self) { cancel() }
        // The completion lets go of the tree when the event ends.
        completion.setCanceller(self)
    }

    /// Whether nothing of the tree starts any more, and its results are dropped.
    var isOver: Bool { state.withLock { $0.isStopped } }

    /// Whether the tree was stopped before everything had ended.
    var isCutShort: Bool { state.withLock { $0.isCutShort } }

    /// Announces an effect whose task is about to be made.
    /// - Returns: false if the tree is over: then the effect must not start.
    func begin(effect: Int) -> Bool {
        state.withLock { state in
            if !state.isStopped { state.tasks.updateValue(nil, forKey: effect) }
            return !state.isStopped
        }
    }

    /// Adds the task of an effect that was announced; cancels it instead if the tree was cancelled meanwhile.
    func add(_ task: Task<Void, Never>, effect: Int) {
        let isOver = state.withLock { state in
            // Otherwise the effect has returned already.
            if state.tasks.keys.contains(effect) { state.tasks[effect] = task }
            return state.isStopped
        }
        if isOver { task.cancel() }
    }

    /// Lets go of the task of an effect, whose closure has returned. Any thread.
    func leave(effect: Int) {
        let leaving = state.withLock { state in
            state.tasks.removeValue(forKey: effect) == nil ? state.leaving : nil
        }
        leaving?.remove(effect)
    }

    /// Cancels one effect, of which the tree then says that it was cancelled.
    func cancel(effect: Int) {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.sawCancellation = true
            guard let task = state.tasks.removeValue(forKey: effect) else { return nil }
            state.dismiss(CollectionOfOne(effect))
            return task
        }
        task?.cancel()
    }

    /// Notes that a part of the tree was cancelled.
    func noteCancellation() {
        state.withLock { $0.sawCancellation = true }
    }

    /// Notes how an effect ended that threw. The first error is the tree's.
    func record(_ error: any Error) {
        if error is CancellationError {
            noteCancellation()
        } else {
            let failure = EffectFailure(error)
            state.withLock { state in
                if state.failure == nil { state.failure = failure }
            }
        }
    }

    /// Says how the tree ended, when the last of its effects has ended or the tree was stopped.
    func complete() {
        let (outcome, leaving) = state.withLock { state -> (EventOutcome?, CancelledEffects?) in
            guard !state.isComplete else { return (nil, nil) }
            state.isComplete = true
            state.isStopped = true
            if let failure = state.failure { return (.failed(failure), state.leaving) }
            return (state.sawCancellation ? .cancelled : .finished, state.leaving)
        }
        guard let outcome else { return }
        registry.remove(self)
        completion.complete(outcome, leaving: leaving)
    }

    /// Cancels everything and ends the event, from any thread.
    func cancel() {
        stop { $0.sawCancellation = true }
        complete()
    }

    var endsEvents: Bool { true }

    func cancel(event: UInt64) {
        cancel()
    }

    /// Stops everything because of a failure; ``complete()`` is to follow.
    func stop(_ failure: EffectFailure) {
        stop { $0.failure = $0.failure ?? failure }
    }

    private func stop(_ note: (inout State) -> Void) {
        let tasks = state.withLock { state -> [Int: Task<Void, Never>?] in
            guard !state.isStopped else { return [:] }
            state.isStopped = true
            state.isCutShort = true
            note(&state)
            let tasks = state.tasks
            state.tasks = [:]
            if !tasks.isEmpty { state.dismiss(tasks.keys) }
            return tasks
        }
        for task in tasks.values { task?.cancel() }
    }
}

extension EventTree.State {
    /// Notes that effects are told to end.
    fileprivate mutating func dismiss(_ effects: some Sequence<Int> & Sendable) {
        let leaving = leaving ?? CancelledEffects()
        leaving.insert(effects)
        self.leaving = leaving
    }
}

/// The trees of one runtime that have not ended, so that all of them can be cancelled from any thread.
final class EventTreeRegistry: Sendable {
    private struct State {
        var isClosed = false
        var trees: [Int: EventTree] = [:]
    }

    private let state = Locked(State())

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var count: Int { state.withLock { $0.trees.count } }

    /// - Returns: false if the runtime is closed.
    func insert(_ tree: EventTree) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.trees[tree.id] = tree }
            return !state.isClosed
        }
    }

    func remove(_ tree: EventTree) {
        state.withLock { _ = $0.trees.removeValue(forKey: tree.id) }
    }

    /// - Parameter closing: takes no tree any more.
    func cancelAll(closing: Bool) {
        let trees = state.withLock { state in
            if closing { state.isClosed = true }
            let trees = state.trees
            state.trees = [:]
            return trees
        }
        for tree in trees.values { tree.cancel() }
    }
}
