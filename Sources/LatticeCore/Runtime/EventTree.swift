import LatticeConcurrency

/// The running effects of one event and of the actions that they emit. `cancel` must reach them from any thread.
///
/// Effects that have not started are tracked by the runtime (``EffectScope``). The tree contains the tasks and
/// determines the outcome.
final class EventTree: EventCancelling {
    fileprivate struct State {
        /// Whether the tree was stopped. Then no effect starts, and results are dropped.
        var isStopped = false
        /// Whether the tree was stopped before everything had ended.
        var isCutShort = false
        var isComplete = false
        /// The effects at work. The task of an effect is added shortly after the effect itself.
        var tasks: [Int: Task<Void, Never>?] = [:]
        /// The cancelled effects that have not returned. It is created when a running effect is cancelled, which is
        /// rare.
        var leaving: CancelledEffects?
        /// The outcome that was decided before everything had ended: the first failure, or the rejection.
        var verdict: EventOutcome?
        /// The cancellation of the tree, or the first one of a part of it.
        var cancellation: Cancellation?
    }

    let id: Int
    let context: EventContext
    /// The number of the event at the runtime's host, or 0 if it has none.
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

    /// Makes the tree reachable for cancellation. In a closed runtime, the tree is cancelled at once.
    func open() {
        if !registry.insert(self) { cancel(Cancellation(by: .closed)) }
        // The completion releases the tree when the event ends.
        completion.setCanceller(self)
    }

    /// Whether no effect of the tree starts any more, and results are dropped.
    var isOver: Bool { state.withLock { $0.isStopped } }

    /// Whether the tree was stopped before everything had ended.
    var isCutShort: Bool { state.withLock { $0.isCutShort } }

    /// Registers an effect whose task is about to be created.
    /// - Returns: False if the tree was stopped. The effect must then not start.
    func begin(effect: Int) -> Bool {
        state.withLock { state in
            if !state.isStopped { state.tasks.updateValue(nil, forKey: effect) }
            return !state.isStopped
        }
    }

    /// Adds the task of a registered effect, or cancels the task if the tree was stopped in the meantime.
    func add(_ task: Task<Void, Never>, effect: Int) {
        let isOver = state.withLock { state in
            // If the effect is not registered any more, it has already returned.
            if state.tasks.keys.contains(effect) { state.tasks[effect] = task }
            return state.isStopped
        }
        if isOver { task.cancel() }
    }

    /// Removes the task of an effect whose closure has returned. It can be called on any thread.
    func leave(effect: Int) {
        let leaving = state.withLock { state in
            state.tasks.removeValue(forKey: effect) == nil ? state.leaving : nil
        }
        leaving?.remove(effect)
    }

    /// Cancels one effect. The tree then counts as cancelled.
    func cancel(effect: Int) {
        let task = state.withLock { state -> Task<Void, Never>? in
            state.noteCancellation(by: .feature)
            guard let task = state.tasks.removeValue(forKey: effect) else { return nil }
            state.dismiss(CollectionOfOne(effect), of: context.id)
            return task
        }
        task?.cancel()
    }

    /// Records that the feature cancelled a part of the tree.
    func noteCancellation() {
        state.withLock { $0.noteCancellation(by: .feature) }
    }

    /// Records the error of an effect. The first error is the error of the tree.
    func record(_ error: any Error) {
        if error is CancellationError {
            noteCancellation()
        } else {
            let failure = EffectFailure(error)
            state.withLock { state in
                if state.verdict == nil { state.verdict = .failed(failure) }
            }
        }
    }

    /// Determines the outcome and completes the event, when the last effect has ended or the tree was stopped.
    func complete() {
        let (outcome, leaving) = state.withLock { state -> (EventOutcome?, CancelledEffects?) in
            guard !state.isComplete else { return (nil, nil) }
            state.isComplete = true
            state.isStopped = true
            if let verdict = state.verdict { return (verdict, state.leaving) }
            return (state.cancellation.map { .cancelled($0.at(.whileRunning)) } ?? .finished, state.leaving)
        }
        guard let outcome else { return }
        registry.remove(self)
        completion.complete(outcome, leaving: leaving)
    }

    /// Cancels everything and ends the event. It can be called on any thread.
    func cancel(_ cancellation: Cancellation) {
        stop { $0.cancellation = cancellation }
        complete()
    }

    var endsEvents: Bool { true }

    func cancel(event: UInt64, _ cancellation: Cancellation) {
        cancel(cancellation)
    }

    /// Stops everything because of a failure. The caller then calls ``complete()``.
    func stop(_ failure: EffectFailure) {
        stop { $0.verdict = $0.verdict ?? .failed(failure) }
    }

    /// Stops everything because the event is rejected. The caller then calls ``complete()``.
    func stop(_ rejection: EventRejection) {
        stop { $0.verdict = $0.verdict ?? .rejected(rejection) }
    }

    private func stop(_ note: (inout State) -> Void) {
        let tasks = state.withLock { state -> [Int: Task<Void, Never>?] in
            guard !state.isStopped else { return [:] }
            state.isStopped = true
            state.isCutShort = true
            note(&state)
            let tasks = state.tasks
            state.tasks = [:]
            if !tasks.isEmpty { state.dismiss(tasks.keys, of: context.id) }
            return tasks
        }
        for task in tasks.values { task?.cancel() }
    }
}

extension EventTree.State {
    /// Records that a part of the tree was cancelled.
    fileprivate mutating func noteCancellation(by canceller: Cancellation.Canceller) {
        if cancellation == nil { cancellation = Cancellation(by: canceller) }
    }

    /// Records that effects were cancelled.
    fileprivate mutating func dismiss(_ effects: some Sequence<Int> & Sendable, of event: EventID?) {
        let leaving = leaving ?? CancelledEffects(of: event)
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

    /// Adds a tree.
    /// - Returns: False if the runtime is closed.
    func insert(_ tree: EventTree) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.trees[tree.id] = tree }
            return !state.isClosed
        }
    }

    func remove(_ tree: EventTree) {
        state.withLock { _ = $0.trees.removeValue(forKey: tree.id) }
    }

    /// Cancels all trees.
    /// - Parameter closing: Whether the registry accepts no more trees.
    func cancelAll(closing: Bool) {
        let trees = state.withLock { state in
            if closing { state.isClosed = true }
            let trees = state.trees
            state.trees = [:]
            return trees
        }
        for tree in trees.values { tree.cancel(Cancellation(by: .closed)) }
    }
}
