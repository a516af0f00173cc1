/// The turn of one task in a pool: until a thread is free it waits, and can be cancelled.
///
/// The preferred executor of that task for the time of its work, see ``ThreadPool/run(_:)``.
final class PooledTask: TaskExecutor {
    private enum State {
        case new
        case waiting(UnownedJob)
        case begun
        case cancelled
    }

    private enum Way {
        case wait, goOn, end
    }

    private let pool: ThreadPool
    private let state = Locked(State.new)

    init(pool: ThreadPool) {
        self.pool = pool
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // Who cancels may run the job and let go of this before it is added.
        let lifetime = Unmanaged.passRetained(self)
        defer { lifetime.release() }
        let job = UnownedJob(job)
        let way = state.withLock { state -> Way in
            switch state {
            case .new:
                state = .waiting(job)
                return .wait
            case .waiting, .begun:
                return .goOn
            case .cancelled:
                return .end
            }
        }
        switch way {
        case .wait: pool.add(self)
        case .goOn: pool.add(job, of: self)
        case .end: end(job)
        }
    }

    /// A thread of the pool is there.
    /// - Returns: the first job, unless the task was cancelled before.
    func take() -> UnownedJob? {
        state.withLock { state in
            guard case .waiting(let job) = state else { return nil }
            state = .begun
            return job
        }
    }

    /// The task was cancelled: if it still waits it ends elsewhere, without having begun its work.
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
        pool.becameVoid()
        end(job)
    }

    var isCancelled: Bool { state.withLock { if case .cancelled = $0 { true } else { false } } }

    private func end(_ job: UnownedJob) {
        ThreadPool.shared.enqueue(ExecutorJob(job))
    }
}
