import LatticeConcurrency
import Synchronization

/// Wakes who waits for something to change. From any thread; says nothing about what has changed.
final class ChangeSignal: Sendable {
    /// How waiting for a condition ended.
    enum Waiting: Sendable {
        case met
        case timedOut
        case cancelled
    }

    /// So often others go first while the time passes that somebody waits for.
    private static let slices = 20

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
    ///   - timeout: real time. After each slice of it what waits for a thread goes first: where many tests run at once,
    ///     what a test waits for may stand in a queue for longer than the whole time.
    ///   - condition: is looked at on the caller's isolation, at the beginning, after each change, and once more when
    ///     the time is over.
    func wait(
        timeout: Duration,
        isolation: isolated (any Actor)? = #isolation,
        until condition: () -> Bool
    ) async -> Waiting {
        if condition() { return .met }
        let isOver = Atomic(false)
        let passing = Task { [weak self] in
            for _ in 0..<Self.slices {
                try await Task.sleep(for: timeout / Self.slices, clock: .continuous)
                await QuiescencePolicy.round()
            }
            try Task.checkCancellation()
            isOver.store(true, ordering: .releasing)
            self?.send()
        }
        defer { passing.cancel() }
        while true {
            let seen = state.withLock { $0.version }
            // Asked before the condition is: one that came to hold late has come to hold.
            let wasOver = isOver.load(ordering: .acquiring)
            if condition() { return .met }
            if Task.isCancelled { return .cancelled }
            if wasOver { return .timedOut }
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
