/// A value that is set once, by the first caller that completes it. Any number of tasks can wait for it, and a
/// cancelled task stops waiting at once.
///
/// An instance may own tasks that compute the value. Completing it cancels these tasks. Waiting for the value does not
/// wait for the tasks, unless a parameter says so. Values that the tasks produce later are dropped.
package final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiters = Waiters<Value?>()
        var tasks: [Task<Void, Never>] = []
        var timer: Timers.Key?
    }

    private let state = Locked(State())

    /// Creates an instance without a value.
    package init() {}

    /// A Boolean value that indicates whether the value is set.
    package var isComplete: Bool { state.withLock { $0.value != nil } }

    /// The value, or nil if it is not set yet.
    // A closure, because a key path of a generic type is made again at each use, which takes a microsecond.
    package var valueIfComplete: Value? { state.withLock { $0.value } }

    /// Sets the value, if it is not set yet.
    ///
    /// - Returns: A Boolean value that indicates whether this call set the value.
    @discardableResult
    package func complete(_ value: Value) -> Bool {
        let taken = state.withLock { state -> (Waiters<Value?>, [Task<Void, Never>], Timers.Key?)? in
            guard state.value == nil else { return nil }
            state.value = value
            return (state.waiters.takeAll(), state.tasks, state.timer.take())
        }
        guard let (waiters, tasks, timer) = taken else { return false }
        // The tasks are cancelled first, because a task that receives the value may rely on it.
        for task in tasks { task.cancel() }
        if let timer { TimerThread.shared.cancel(timer) }
        waiters.resume(returning: value)
        return true
    }

    /// Waits for the value. Returns nil if the waiting task is cancelled first.
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

    /// The value. Reading it waits for the value, and throws `CancellationError` if the waiting task is cancelled
    /// first.
    package var value: Value {
        get async throws {
            guard let value = await wait() else { throw CancellationError() }
            return value
        }
    }

    /// Waits for the value.
    ///
    /// - Returns: The value, or nil if the limit has passed first.
    /// - Throws: `CancellationError` if the waiting task is cancelled first.
    package func value(within limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            // Both tasks run on threads of the library, so that the limit holds even if tasks of the program occupy
            // Swift's thread pool.
            group.addTask(executorPreference: ThreadPool.shared) { try await self.value }
            group.addTask(executorPreference: ThreadPool.shared) {
                try await clock.wait(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Waits until the value is set, until `limit` has passed, or until the calling task is cancelled.
    package func wait(atMost limit: Duration, clock: any Clock<Duration> = ContinuousClock()) async {
        // Both errors mean that the wait is over.
        _ = try? await value(within: limit, clock: clock)
    }

    /// Sets the value at a point in time, if it is not set by then.
    ///
    /// - Parameters:
    ///   - deadline: The point in time.
    ///   - clock: The clock of the deadline.
    ///   - value: A closure that returns the value. Its argument is the error with which the clock ended its sleep, or
    ///     nil.
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
            // This does not run on the thread of the timers. Completing cancels tasks, which may have cancellation
            // handlers that block.
            Task(executorPreference: ThreadPool.shared) { self.due(at: deadline, on: clock, with: value) }
        }
        let isLate = state.withLock { state in
            // The later of the two timers is kept. If the first one fires before it is stored, it has already set
            // another one.
            state.timer = max(state.timer ?? timer, timer)
            return state.value != nil
        }
        if isLate { TimerThread.shared.cancel(timer) }
    }

    /// Sets the value when a timer has fired. If the clock runs slower than the timers and has not reached the
    /// deadline, sets another timer.
    private func due<C: Clock>(
        at deadline: C.Instant,
        on clock: C,
        with value: @escaping @Sendable ((any Error)?) -> Value
    ) {
        if clock.now < deadline { complete(at: deadline, on: clock, with: value) } else { complete(value(nil)) }
    }

    // MARK: Tasks that work towards the value

    /// Starts a task that computes the value. The task keeps this instance alive until it ends.
    package func run(_ body: @escaping @Sendable (OneShot) async -> Void) {
        let task = ThreadPool.begin { Task(executorPreference: ThreadPool.shared) { await body(self) } }
        let isLate = state.withLock { state in
            state.tasks.append(task)
            return state.value != nil
        }
        if isLate { task.cancel() }
    }

    /// Waits for the value. If the waiting task is cancelled, sets the value to `fallback`, which also cancels the
    /// tasks that compute the value.
    ///
    /// - Parameters:
    ///   - fallback: The value in case of cancellation.
    ///   - awaitsTasks: Whether a cancelled caller waits until these tasks have ended.
    package func value(ifCancelled fallback: Value, awaitsTasks: Bool = false) async -> Value {
        let value = await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            complete(fallback)
        }
        // If the wait ended before the cancellation handler was called, the handler is gone.
        if value == nil { complete(fallback) }
        if awaitsTasks, Task.isCancelled {
            for task in state.withLock(\.tasks) { await task.value }
        }
        return value ?? state.withLock(\.value) ?? fallback
    }
}

extension OneShot where Value == Void {
    /// Completes the instance.
    package func complete() {
        complete(())
    }
}
