/// A task that runs in a pool. It waits until a thread is free, and can be cancelled until then.
///
/// The instance is the preferred executor of the task while it does its work, see ``ThreadPool/run(_:)``.
final class PooledTask: TaskExecutor {
    private enum State {
        case new
        case waiting(UnownedJob)
        case begun
        case cancelled
    }

    private enum Action {
        case wait, add, end
    }

    private let pool: ThreadPool
    private let state = Locked(State.new)

    init(pool: ThreadPool) {
        self.pool = pool
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // A cancelling thread may run the job and release this object before the job is added to the pool.
        let lifetime = Unmanaged.passRetained(self)
        defer { lifetime.release() }
        let job = UnownedJob(job)
        let action = state.withLock { state -> Action in
            switch state {
            case .new:
                state = .waiting(job)
                return .wait
            case .waiting, .begun:
                return .add
            case .cancelled:
                return .end
            }
        }
        switch action {
        case .wait: pool.add(self)
        case .add: pool.add(job, of: self)
        case .end: end(job)
        }
    }

    /// Begins the work, because a thread of the pool is free.
    ///
    /// - Returns: The first job, or nil if the task was cancelled before.
    func take() -> UnownedJob? {
        state.withLock { state in
            guard case .waiting(let job) = state else { return nil }
            state = .begun
            return job
        }
    }

    /// Cancels the task. If it still waits, it ends on another thread without beginning its work.
    func cancel() {
        let job = state.withLock { state -> UnownedJob? in
            switch state {
            case .begun, .cancelled: return nil
            case .new:
                state = .cancelled
                return nil
            case .waiting(let job):
                state = .cancelled
                return job
            }
        }
        guard let job else { return }
        pool.noteCancelled()
        end(job)
    }

    var isCancelled: Bool { state.withLock { if case .cancelled = $0 { true } else { false } } }

    private func end(_ job: UnownedJob) {
        ThreadPool.shared.enqueue(ExecutorJob(job))
    }
}
