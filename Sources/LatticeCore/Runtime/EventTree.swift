/// The running effects of one event and of the actions that they emit: what `cancel` has to reach from any thread.
///
/// Which effects are still to come is bookkeeping of the runtime (``EffectScope``); here are the tasks and the verdict.
final class EventTree: EventCancelling {
    private struct State {
        /// Nothing starts any more, and results are dropped.
        var isStopped = false
        /// Stopped before everything had ended.
        var isCutShort = false
        var isComplete = false
        var tasks: [Int: Task<Void, Never>] = [:]
        var failure: EffectFailure?
        var sawCancellation = false
    }

    let id: Int
    let identity: EventID?
    let completion: EventCompletion
    private let registry: EventTreeRegistry
    private let state = Locked(State())

    init(id: Int, identity: EventID?, completion: EventCompletion, registry: EventTreeRegistry) {
        self.id = id
        self.identity = identity
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

    /// Adds the task of an effect; cancels it instead if the tree was cancelled meanwhile.
    func add(_ task: Task<Void, Never>, effect: Int) {
        let isOver = state.withLock { state in
            if !state.isStopped { state.tasks[effect] = task }
            return state.isStopped
        }
        if isOver { task.cancel() }
    }

    /// Lets go of the task of an effect that has ended.
    func remove(effect: Int) {
        state.withLock { _ = $0.tasks.removeValue(forKey: effect) }
    }

    /// Cancels one effect, of which the tree then says that it was cancelled.
    func cancel(effect: Int) {
        let task = state.withLock { state in
            state.sawCancellation = true
            return state.tasks.removeValue(forKey: effect)
        }
        task?.cancel()
    }

    /// Notes how an effect ended that threw. The first error is the tree's.
    func record(_ error: any Error) {
        if error is CancellationError {
            state.withLock { $0.sawCancellation = true }
        } else {
            let failure = EffectFailure(error)
            state.withLock { state in
                if state.failure == nil { state.failure = failure }
            }
        }
    }

    /// Says how the tree ended, when the last of its effects has ended or the tree was stopped.
    func complete() {
        let outcome = state.withLock { state -> EventOutcome? in
            guard !state.isComplete else { return nil }
            state.isComplete = true
            state.isStopped = true
            if let failure = state.failure { return .failed(failure) }
            return state.sawCancellation ? .cancelled : .finished
        }
        guard let outcome else { return }
        registry.remove(self)
        completion.complete(outcome)
    }

    /// Cancels everything and ends the event, from any thread.
    func cancel() {
        stop { $0.sawCancellation = true }
        complete()
    }

    func cancel(event: UInt64) {
        cancel()
    }

    /// Stops everything because of a failure; ``complete()`` is to follow.
    func stop(_ failure: EffectFailure) {
        stop { $0.failure = $0.failure ?? failure }
    }

    private func stop(_ note: (inout State) -> Void) {
        let tasks = state.withLock { state -> [Int: Task<Void, Never>] in
            guard !state.isStopped else { return [:] }
            state.isStopped = true
            state.isCutShort = true
            note(&state)
            let tasks = state.tasks
            state.tasks = [:]
            return tasks
        }
        for task in tasks.values { task.cancel() }
    }
}
