import LatticeConcurrency

/// A value that is decided once, by whoever comes first: the work, a clock, or somebody who needs it no more.
///
/// It owns the tasks that work towards the value; deciding it cancels them. Who waits hears of it at once, also when
/// those tasks do not listen to their cancellation and go on: what they bring then is too late and is dropped.
final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var tasks: [Task<Void, Never>] = []
        var waiters: [CheckedContinuation<Value, Never>] = []
    }

    private let state = Locked(State())

    var isSettled: Bool { state.withLock { $0.value != nil } }

    /// - Returns: whether this call has decided it.
    @discardableResult
    func settle(_ value: Value) -> Bool {
        let before = state.withLock { state -> State? in
            guard state.value == nil else { return nil }
            let before = state
            state.value = value
            state.waiters = []
            return before
        }
        guard let before else { return false }
        // First: who hears of the value may rely on the tasks having been told.
        for task in before.tasks { task.cancel() }
        for waiter in before.waiters { waiter.resume(returning: value) }
        return true
    }

    /// Starts a task that works towards the value. It keeps the oneShot alive until it ends.
    func run(_ body: @escaping @Sendable (OneShot) async -> Void) {
        let task = Task { await body(self) }
        let isLate = state.withLock { state in
            state.tasks.append(task)
            return state.value != nil
        }
        if isLate { task.cancel() }
    }

    /// Waits for the value. Cancelling the task that waits decides it, and so ends the tasks that work towards it.
    func value(ifCancelled fallback: Value) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state in
                    if state.value == nil { state.waiters.append(continuation) }
                    return state.value
                }
                if let value { continuation.resume(returning: value) }
            }
        } onCancel: {
            settle(fallback)
        }
    }

    /// As ``value(ifCancelled:)``, for effects: when it is the waiting task that was cancelled, it goes on waiting until
    /// the tasks have ended, so that the effect has not returned while its work still runs.
    func valueOfEffect(ifCancelled fallback: Value) async -> Value {
        let value = await value(ifCancelled: fallback)
        if Task.isCancelled {
            for task in state.withLock(\.tasks) { await task.value }
        }
        return value
    }
}
