import LatticeConcurrency
import LatticeSession
import LatticeWire

/// A call that runs here: its task, which is cancelled when nobody needs the answer or the deadline passes.
final class ActorCallRun: RunningCall {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        var hasEnded = false
        var hasExpired = false
        var timer: Timers.Key?
        /// What it is answered with, if that is a stream.
        var stream: OutgoingStream?
    }

    let answer: IncomingCall
    /// As the call names it.
    let method: String
    let system: LatticeActorSystem
    private let state = Locked(State())

    init(_ method: String, _ answer: IncomingCall, at system: LatticeActorSystem) {
        self.method = method
        self.answer = answer
        self.system = system
    }

    /// Whether it was cancelled because its deadline passed.
    var hasExpired: Bool { state.withLock(\.hasExpired) }

    /// - Parameter task: Runs it.
    func begin(_ task: Task<Void, Never>, until deadline: EventDeadline) {
        let isCancelled = state.withLock { state in
            if !state.hasEnded { state.task = task }
            return state.isCancelled
        }
        if isCancelled { cancel() }
        guard let left = deadline.left else { return }
        let timer = TimerThread.shared.after(left) { self.expire() }
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.timer = timer }
            return state.hasEnded
        }
        if hasEnded { TimerThread.shared.cancel(timer) }
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

    func cancel() {
        let (task, stream) = state.withLock { state in
            state.isCancelled = true
            return (state.task, state.stream)
        }
        stream?.cancel()
        guard let task else { return }
        // Not on a thread that others wait for: cancelling calls handlers, which may wait.
        Task(executorPreference: ThreadPool.shared) { task.cancel() }
    }

    private func expire() {
        state.withLock { $0.hasExpired = true }
        cancel()
    }

    /// It has ended, with this answer.
    func end(_ reply: ActorReply) {
        answer.end(reply)
        let timer = state.withLock { state in
            state.task = nil
            state.stream = nil
            state.hasEnded = true
            return state.timer.take()
        }
        if let timer { TimerThread.shared.cancel(timer) }
    }
}
