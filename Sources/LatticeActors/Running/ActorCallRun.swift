import LatticeConcurrency
import LatticeSession
import LatticeWire

/// A call that runs here, or waits for that: it is cancelled when nobody needs the answer or the deadline passes.
final class ActorCallRun: RunningCall {
    private enum Phase {
        /// It stands in a ``CallTurn``, and has not begun.
        case waiting
        /// In a task of its own, of which is not known yet which one it is.
        case beginning
        /// In this task, which runs nothing else.
        case inTask(Task<Void, Never>)
        /// In the task of its turn, which runs other calls too.
        case inTurn(RunningTask)
        case ended
    }

    /// A task as long as it runs.
    struct RunningTask: @unchecked Sendable {
        // Unchecked: a task may be cancelled by anybody who knows that it still runs.
        fileprivate let task: UnsafeCurrentTask

        init(_ task: UnsafeCurrentTask) {
            self.task = task
        }
    }

    /// Why it is cancelled.
    private enum Cause {
        /// Nobody needs the answer.
        case caller
        case deadline
        /// This process is about to end.
        case end
    }

    private struct State {
        var phase: Phase
        /// Why it was cancelled; nil: it was not.
        var cancelled: Cause?
        var timer: Timers.Key?
        /// What it is answered with, if that is a stream.
        var stream: OutgoingStream?
    }

    let answer: IncomingCall
    /// Whose method it is.
    let actor: UInt64
    /// As the call names it.
    let method: String
    let actors: LocalActors
    private let state: Locked<State>

    /// - Parameter isInTurn: Whether it waits in a turn, and has no task of its own.
    init(_ call: ActorCall, _ answer: IncomingCall, of actors: LocalActors, isInTurn: Bool = false) {
        actor = call.actor
        method = call.method
        self.answer = answer
        self.actors = actors
        state = Locked(State(phase: isInTurn ? .waiting : .beginning))
    }

    /// Whether it was cancelled because its deadline passed.
    var hasExpired: Bool { state.withLock { $0.cancelled == .deadline } }

    /// It is cancelled when this has passed.
    func expire(at deadline: EventDeadline) {
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

    /// It is its turn, in the running task.
    ///
    /// - Returns: Whether it begins; false: it was cancelled, and is answered so.
    func begin(in task: RunningTask) -> Bool {
        let reply = state.withLock { state -> ActorReply? in
            switch state.cancelled {
            case nil:
                state.phase = .inTurn(task)
                return nil
            case .caller: return ActorReply(call: 0, code: .cancelled)
            case .deadline: return .deadlinePassed(mayHaveBegun: false)
            case .end: return .draining(actors.title)
            }
        }
        guard let reply else { return true }
        end(reply)
        return false
    }

    /// This is its own task.
    func begin(_ task: Task<Void, Never>) {
        run(in: task) { if case .beginning = $0 { true } else { false } }
    }

    /// It is answered by this task from now on, whatever has run it.
    func goOn(in task: Task<Void, Never>) {
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

    /// It is answered with a stream from now on.
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

    // MARK: Ends

    func cancel() {
        cancel(.caller)
    }

    func leave() {
        cancel(.end)
    }

    private func cancel(_ cause: Cause) {
        let (task, stream) = state.withLock { state -> (Task<Void, Never>?, OutgoingStream?) in
            // That the time is over is said, whatever came before.
            if state.cancelled == nil || cause == .deadline { state.cancelled = cause }
            switch state.phase {
            case .inTurn(let running):
                // Inside the lock, as the task goes on with another call when this one has ended. What does not await
                // has no handlers that it would call.
                running.task.cancel()
                return (nil, state.stream)
            case .inTask(let task): return (task, state.stream)
            // What waits is answered when its turn comes: until then it is counted, as it takes room.
            case .waiting, .beginning, .ended: return (nil, state.stream)
            }
        }
        stream?.cancel()
        guard let task else { return }
        // Not on a thread that others wait for: cancelling calls handlers, which may wait.
        Task(executorPreference: ThreadPool.shared) { task.cancel() }
    }

    /// It has ended, with this answer.
    func end(_ reply: ActorReply) {
        answer.end(reply)
        let timer = state.withLock { state in
            state.phase = .ended
            state.stream = nil
            return state.timer.take()
        }
        if let timer { TimerThread.shared.cancel(timer) }
    }
}
