import LatticeConcurrency

/// A value that comes once; any number of tasks wait for it, and a cancelled one stops waiting at once.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([Int: CheckedContinuation<Value, any Error>])
        case fulfilled(Result<Value, any Error>)
    }

    private struct Core {
        var state = State.waiting([:])
        var lastWaiter = 0
        /// Waiters that were cancelled before they began to wait.
        var cancelled: Set<Int> = []
    }

    private let core = Locked(Core())

    package init() {}

    /// Gives the value; only the first one counts.
    package func fulfil(_ result: Result<Value, any Error>) {
        let waiters = core.withLock { core -> [CheckedContinuation<Value, any Error>] in
            guard case .waiting(let waiters) = core.state else { return [] }
            core.state = .fulfilled(result)
            return Array(waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }

    package var isFulfilled: Bool {
        core.withLock { core in
            if case .fulfilled = core.state { true } else { false }
        }
    }

    /// The value, or `CancellationError` if the waiting task is cancelled first.
    package var value: Value {
        get async throws {
            let waiter = core.withLock { core in
                core.lastWaiter += 1
                return core.lastWaiter
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    wait(waiter, continuation)
                }
            } onCancel: {
                cancel(waiter)
            }
        }
    }

    private func wait(_ waiter: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        let result = core.withLock { core -> Result<Value, any Error>? in
            if case .fulfilled(let result) = core.state { return result }
            if core.cancelled.remove(waiter) != nil { return .failure(CancellationError()) }
            if case .waiting(var waiters) = core.state {
                waiters[waiter] = continuation
                core.state = .waiting(waiters)
            }
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    private func cancel(_ waiter: Int) {
        let continuation = core.withLock { core -> CheckedContinuation<Value, any Error>? in
            guard case .waiting(var waiters) = core.state else { return nil }
            guard let continuation = waiters.removeValue(forKey: waiter) else {
                core.cancelled.insert(waiter)
                return nil
            }
            core.state = .waiting(waiters)
            return continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
