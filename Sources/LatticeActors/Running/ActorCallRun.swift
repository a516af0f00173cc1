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

    private struct State {
        var phase: Phase
        var isCancelled = false
        var hasExpired = false
        var timer: Timers.Key?
        /// What it is answered with, if that is a stream.
        var stream: OutgoingStream?
    }

    /// What follows when it is cancelled.
    private enum Cancelling {
        case nothing
        /// It never begins.
        case end
        case cancel(Task<Void, Never>)
    }

    let answer: IncomingCall
    /// As the call names it.
    let method: String
    let actors: LocalActors
    private let state: Locked<State>

    /// - Parameter isInTurn: Whether it waits in a turn, and has no task of its own.
    init(_ method: String, _ answer: IncomingCall, of actors: LocalActors, isInTurn: Bool = false) {
        self.method = method
        self.answer = answer
        self.actors = actors
        state = Locked(State(phase: isInTurn ? .waiting : .beginning))
    }

    /// Whether it was cancelled because its deadline passed.
    var hasExpired: Bool { state.withLock(\.hasExpired) }

    /// It is cancelled when this has passed.
    func expire(at deadline: EventDeadline) {
        guard let left = deadline.left else { return }
        let timer = TimerThread.shared.after(left) { self.cancel(becauseExpired: true) }
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
    /// - Returns: Whether it begins; false: it was cancelled, and has been answered.
    func begin(in task: RunningTask) -> Bool {
        state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.phase = .inTurn(task)
            return true
        }
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
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// It is answered with a stream from now on.
    func use(_ stream: OutgoingStream) {
        let isCancelled = state.withLock { state in
            state.stream = stream
            return state.isCancelled
        }
        if isCancelled { stream.cancel() }
    }

    func give(credit bytes: Int) {
        state.withLock(\.stream)?.give(credit: bytes)
    }

    // MARK: Ends

    func cancel() {
        cancel(becauseExpired: false)
    }

    private func cancel(becauseExpired: Bool) {
        let (next, stream) = state.withLock { state -> (Cancelling, OutgoingStream?) in
            state.isCancelled = true
            if becauseExpired { state.hasExpired = true }
            switch state.phase {
            case .waiting:
                state.phase = .ended
                return (.end, nil)
            case .inTurn(let running):
                // Inside the lock, as the task goes on with another call when this one has ended. What does not await
                // has no handlers that it would call.
                running.task.cancel()
                return (.nothing, state.stream)
            case .inTask(let task): return (.cancel(task), state.stream)
            case .beginning, .ended: return (.nothing, state.stream)
            }
        }
        stream?.cancel()
        switch next {
        case .nothing: break
        case .end: end(becauseExpired ? .deadlinePassed(mayHaveBegun: false) : ActorReply(call: 0, code: .cancelled))
        case .cancel(let task):
            // Not on a thread that others wait for: cancelling calls handlers, which may wait.
            Task(executorPreference: ThreadPool.shared) { task.cancel() }
        }
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
