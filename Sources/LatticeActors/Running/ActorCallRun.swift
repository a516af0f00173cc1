import LatticeCalls
import LatticeConcurrency
import LatticeSession
import LatticeWire

/// An incoming call that runs or waits. It is cancelled when its caller no longer needs the answer or its deadline
/// passes.
final class ActorCallRun: RunningCall {
    private enum Phase {
        /// The call is queued in a ``CallBatch`` and has not begun.
        case waiting
        /// The call has its own task, and that task is not known yet.
        case beginning
        /// The call runs in this task, which runs nothing else.
        case inTask(Task<Void, Never>)
        /// The call runs in the task of its batch, which also runs other calls.
        case inBatch(RunningTask)
        case ended
    }

    /// A task that is still running.
    struct RunningTask: @unchecked Sendable {
        // Unchecked: a running task may be cancelled from any thread.
        fileprivate let task: UnsafeCurrentTask

        init(_ task: UnsafeCurrentTask) {
            self.task = task
        }
    }

    /// The reason for a cancellation.
    private enum Cause {
        /// The caller no longer needs the answer.
        case caller
        case deadline
        /// This process is about to end.
        case end
    }

    private struct State {
        var phase: Phase
        /// The reason for which the call was cancelled, or nil.
        var cancelled: Cause?
        var timer: Timers.Key?
        /// The stream with which the call is answered, if its result is one.
        var stream: OutgoingStream?
        /// Called with what has become of the answer.
        var onceAnswered: (@Sendable (AnswerDelivery) -> Void)?
        /// Called when this process accepts no more calls.
        var onDrain: (@Sendable () -> Void)?
    }

    let answer: IncomingCall
    /// The number of the actor.
    let actor: UInt64
    /// The name of the method, as in the call.
    let method: String
    let actors: LocalActors
    private let state: Locked<State>

    /// Creates a run for an incoming call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - answer: Sends the answer.
    ///   - actors: The actors of this process.
    ///   - isBatched: Whether the call waits in a ``CallBatch`` instead of having its own task.
    init(_ call: ActorCall, _ answer: IncomingCall, of actors: LocalActors, isBatched: Bool = false) {
        actor = call.actor
        method = call.method.name
        self.answer = answer
        self.actors = actors
        state = Locked(State(phase: isBatched ? .waiting : .beginning))
    }

    /// A Boolean value that indicates whether the call was cancelled because its deadline passed.
    var hasExpired: Bool { state.withLock { $0.cancelled == .deadline } }

    /// Cancels the call when the deadline passes.
    func expire(at deadline: MonotonicDeadline) {
        guard let left = deadline.left else { return }
        let timer = TimerThread.shared.after(left) { self.cancel(.deadline) }
        let hasEnded = state.withLock { state in
            if case .ended = state.phase { return true }
            state.timer = timer
            return false
        }
        if hasEnded { TimerThread.shared.cancel(timer) }
    }

    // MARK: Where it runs

    /// Begins the call in the running task of its batch.
    ///
    /// - Returns: Whether the call begins. False if it was cancelled before, and has been answered accordingly.
    func begin(in task: RunningTask) -> Bool {
        let outcome = state.withLock { state -> CallOutcome? in
            switch state.cancelled {
            case nil:
                state.phase = .inBatch(task)
                return nil
            case .caller: return .failure(.cancelled)
            case .deadline: return .deadlinePassed(mayHaveBegun: false)
            case .end: return .draining(actors.title)
            }
        }
        guard let outcome else { return true }
        end(outcome)
        return false
    }

    /// Sets the call's own task.
    func begin(_ task: Task<Void, Never>) {
        run(in: task) { if case .beginning = $0 { true } else { false } }
    }

    /// Moves the call to another task, which answers it from now on.
    func continueRunning(in task: Task<Void, Never>) {
        run(in: task) { if case .ended = $0 { false } else { true } }
    }

    private func run(in task: Task<Void, Never>, if isExpected: (Phase) -> Bool) {
        let isCancelled = state.withLock { state in
            guard isExpected(state.phase) else { return false }
            state.phase = .inTask(task)
            return state.cancelled != nil
        }
        if isCancelled { cancel() }
    }

    /// Sets the stream with which the call is answered from now on.
    func use(_ stream: OutgoingStream) {
        let isCancelled = state.withLock { state in
            state.stream = stream
            return state.cancelled != nil
        }
        if isCancelled { stream.cancel() }
    }

    func give(credit bytes: Int) {
        state.withLock(\.stream)?.give(credit: bytes)
    }

    /// Sets the closure that is called with what has become of the answer.
    func onceAnswered(_ body: @escaping @Sendable (AnswerDelivery) -> Void) {
        state.withLock { $0.onceAnswered = body }
    }

    /// Sets the closure that is called when this process accepts no more calls.
    func onDrain(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onDrain = body }
        if answer.isDraining { drain() }
    }

    // MARK: Ends

    func cancel() {
        cancel(.caller)
    }

    func leave() {
        cancel(.end)
    }

    func drain() {
        state.withLock { $0.onDrain.take() }?()
    }

    private func cancel(_ cause: Cause) {
        let (task, stream) = state.withLock { state -> (Task<Void, Never>?, OutgoingStream?) in
            // A passed deadline is reported even if there was another reason before.
            if state.cancelled == nil || cause == .deadline { state.cancelled = cause }
            switch state.phase {
            case .inBatch(let running):
                // This happens inside the lock, because the task continues with another call when this one has ended. A
                // synchronous method has no cancellation handlers, so no foreign code runs here.
                running.task.cancel()
                return (nil, state.stream)
            case .inTask(let task): return (task, state.stream)
            // A waiting call is answered when the batch reaches it. Until then it occupies room and is counted.
            case .waiting, .beginning, .ended: return (nil, state.stream)
            }
        }
        stream?.cancel()
        guard let task else { return }
        // Cancelling runs handlers that may block, so it does not happen on a thread that others wait for.
        Task(executorPreference: ThreadPool.shared) { task.cancel() }
    }

    /// Ends the call with an answer.
    func end(_ outcome: CallOutcome) {
        answer.end(outcome)
        let (timer, onceAnswered) = state.withLock { state in
            state.phase = .ended
            state.stream = nil
            state.onDrain = nil
            return (state.timer.take(), state.onceAnswered.take())
        }
        if let timer { TimerThread.shared.cancel(timer) }
        if let onceAnswered { answer.write(onDelivery: onceAnswered) }
    }
}
