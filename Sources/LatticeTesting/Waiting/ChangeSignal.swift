import LatticeConcurrency
import Synchronization

/// A signal that resumes waiting tasks when something has changed. It can be sent from any thread, and does not say
/// what has changed.
final class ChangeSignal: Sendable {
    /// The result of waiting for a condition.
    enum Waiting: Sendable {
        case met
        case timedOut
        case cancelled
    }

    /// The number of parts into which a timeout is divided. After each part, other tasks may run first.
    private static let slices = 20

    private struct State {
        var version = 0
        var waiters = Waiters<Void>()
    }

    private let state = Locked(State())

    /// Reports that something has changed.
    func send() {
        let waiters = state.withLock { state in
            state.version += 1
            return state.waiters.takeAll()
        }
        waiters.resume()
    }

    /// Waits until the condition holds. Code that changes the values of the condition sends this signal afterwards.
    /// - Parameters:
    ///   - timeout: The real time to wait. After each part of it, tasks that wait for a thread run first. If many tests
    ///     run at once, the awaited work may be queued for longer than the whole timeout.
    ///   - isolation: The isolation of the caller.
    ///   - condition: The condition. It is evaluated on the caller's isolation: at the beginning, after each change,
    ///     and once more when the time is over.
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
            // The flag is read before the condition, so that a condition that became true late still counts.
            let wasOver = isOver.load(ordering: .acquiring)
            if condition() { return .met }
            if Task.isCancelled { return .cancelled }
            if wasOver { return .timedOut }
            await change(since: seen)
        }
    }

    /// Waits until there is a change after `version`, or until the task is cancelled.
    private func change(since version: Int, isolation: isolated (any Actor)? = #isolation) async {
        let waiter = state.withLock { $0.waiters.makeID() }
        await withTaskCancellationHandler {
            // The closure only inherits the isolation if it is mentioned.
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
