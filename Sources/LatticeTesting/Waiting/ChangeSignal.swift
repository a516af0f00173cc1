import LatticeConcurrency
import LatticeCore

/// Wakes who waits for something to change. From any thread; says nothing about what has changed.
final class ChangeSignal: Sendable {
    /// How waiting for a condition ended.
    enum Waiting: Sendable {
        case met
        case timedOut
        case cancelled
    }

    private struct State {
        var version = 0
        var waiters = Waiters<Void>()
    }

    private let state = Locked(State())

    /// Says that something has changed.
    func send() {
        let waiters = state.withLock { state in
            state.version += 1
            return state.waiters.takeAll()
        }
        waiters.resume()
    }

    /// Waits until the condition holds. Whoever changes what it looks at sends this signal afterwards.
    /// - Parameters:
    ///   - timeout: real time. Where others have the threads it grows with what they take: see ``Allowance``.
    ///   - condition: is looked at on the caller's isolation, at the beginning, after each change, and once more when
    ///     the time is over.
    func wait(
        timeout: Duration,
        isolation: isolated (any Actor)? = #isolation,
        until condition: () -> Bool
    ) async -> Waiting {
        if condition() { return .met }
        let allowance = Allowance(timeout) { [weak self] in self?.send() }
        defer { allowance.cancel() }
        while true {
            let seen = state.withLock { $0.version }
            // Asked before the condition is: one that came to hold late has come to hold.
            let isOver = allowance.isOver
            if condition() { return .met }
            if Task.isCancelled { return .cancelled }
            if isOver { return .timedOut }
            await change(since: seen)
        }
    }

    /// Returns when there was a change after `version`, or when the task is cancelled.
    private func change(since version: Int, isolation: isolated (any Actor)? = #isolation) async {
        let waiter = state.withLock { $0.waiters.makeID() }
        await withTaskCancellationHandler {
            // Mentioned, else the closure does not inherit it.
            _ = isolation
            await withCheckedContinuation { continuation in
                let waits = state.withLock { $0.version == version && $0.waiters.add(continuation, as: waiter) }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.take(waiter) }?.resume()
        }
    }
}
