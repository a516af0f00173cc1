/// A value that comes once, from whoever completes it first. Any number of tasks wait for it, and a cancelled one stops
/// waiting at once.
///
/// It may own tasks that work towards the value: completing it cancels them. Who waits does not wait for them, unless
/// it says so; what they bring later is dropped.
package final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters = Waiters<Value?>()
        var tasks: [Task<Void, Never>] = []
        var timer: Timers.Key?
    }

    private let state = Locked(State())

    package init() {}

    package var isComplete: Bool { state.withLock { $0.value != nil } }

    /// Gives the value; only the first one counts.
    /// - Returns: whether this was the first.
    @discardableResult
    package func complete(_ value: Value) -> Bool {
        let taken = state.withLock { state -> (Waiters<Value?>, [Task<Void, Never>], Timers.Key?)? in
            guard state.value == nil else { return nil }
            state.value = value
            return (state.waiters.takeAll(), state.tasks, state.timer.take())
        }
        guard let (waiters, tasks, timer) = taken else { return false }
        // First: who hears of the value may rely on the tasks having been told.
        for task in tasks { task.cancel() }
        if let timer { TimerThread.shared.cancel(timer) }
        waiters.resume(returning: value)
        return true
    }

    /// The value, or nil if the waiting task is cancelled first.
    @discardableResult
    package func wait() async -> Value? {
        let (value, waiter) = state.withLock { ($0.value, $0.waiters.makeID()) }
        if let value { return value }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Value?? = state.withLock { state in
                    if let value = state.value { return value }
                    return state.waiters.add(continuation, as: waiter) ? .none : .some(nil)
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiters.take(waiter) }?.resume(returning: nil)
        }
    }

    /// The value, or `CancellationError` if the waiting task is cancelled first.
    package var value: Value {
        get async throws {
            guard let value = await wait() else { throw CancellationError() }
            return value
        }
    }

    /// The value if it comes within the limit, else nil; `CancellationError` if the waiting task is cancelled first.
    package func value(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            // The limit holds where tasks of the program keep Swift's threads.
            group.addTask(executorPreference: ThreadPool.shared) { try await self.value }
            group.addTask(executorPreference: ThreadPool.shared) {
                try await clock.wait(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Returns when it is complete, when `limit` has passed or when the calling task is cancelled.
    package func wait(atMost limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async {
        // Both errors mean that the wait is over.
        _ = try? await value(within: limit, clock: clock)
    }

    /// Completes it at a moment, if it is not complete by then.
    /// - Parameter value: gives the value; is told of the error with which the clock ended its sleep, if it did.
    package func complete<C: Clock>(
        at deadline: C.Instant,
        on clock: C,
        with value: @escaping @Sendable ((any Error)?) -> Value
    ) {
        guard let left = clock.left(until: deadline) else {
            return run { oneShot in
                do {
                    try await clock.sleep(until: deadline, tolerance: nil)
                    oneShot.complete(value(nil))
                } catch {
                    oneShot.complete(value(error))
                }
            }
        }
        let timer = TimerThread.shared.after(left) {
            // Not on the thread that others wait for: completing cancels tasks, which may have handlers that wait.
            Task(executorPreference: ThreadPool.shared) { self.due(at: deadline, on: clock, with: value) }
        }
        let isLate = state.withLock { state in
            // Of two the later: the first has come before it was kept, and has set another.
            state.timer = max(state.timer ?? timer, timer)
            return state.value != nil
        }
        if isLate { TimerThread.shared.cancel(timer) }
    }

    /// By the time of the timers; the clock's may go slower.
    private func due<C: Clock>(
        at deadline: C.Instant,
        on clock: C,
        with value: @escaping @Sendable ((any Error)?) -> Value
    ) {
        if clock.now < deadline { complete(at: deadline, on: clock, with: value) } else { complete(value(nil)) }
    }

    // MARK: Tasks that work towards the value

    /// Starts a task that works towards the value, and keeps this alive until it ends.
    package func run(_ body: @escaping @Sendable (OneShot) async -> Void) {
        let task = ThreadPool.begin { Task(executorPreference: ThreadPool.shared) { await body(self) } }
        let isLate = state.withLock { state in
            state.tasks.append(task)
            return state.value != nil
        }
        if isLate { task.cancel() }
    }

    /// Waits for the value. Cancelling the task that waits completes it with `fallback`, and so ends the tasks that
    /// work towards it.
    /// - Parameter awaitsTasks: whether a task that was cancelled goes on waiting until those tasks have ended.
    package func value(ifCancelled fallback: Value, awaitsTasks: Bool = false) async -> Value {
        let value = await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            complete(fallback)
        }
        // A wait that is over before the cancellation handler was called takes that handler away.
        if value == nil { complete(fallback) }
        if awaitsTasks, Task.isCancelled {
            for task in state.withLock(\.tasks) { await task.value }
        }
        return value ?? state.withLock(\.value) ?? fallback
    }
}

extension OneShot where Value == Void {
    package func complete() {
        complete(())
    }
}
