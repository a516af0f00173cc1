import Synchronization

/// The end of one event, as all who care share it: whoever runs the event completes it, whoever sent it waits for it
/// or cancels it, each from any thread.
package final class EventCompletion: Sendable {
    private struct State {
        var outcome: EventOutcome?
        var isCancelled = false
        var hasEffects: Bool
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<EventOutcome, Never>] = [:]
        /// Waiters that were cancelled before they had begun to wait.
        var abandoned: Set<Int> = []
        var callbacks: [@Sendable (EventOutcome) -> Void] = []
        var onCancel: (@Sendable () -> Void)?
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - hasEffects: what `EventTask.hasEffects` says until something better is known.
    ///   - onCancel: called at most once, when somebody cancels the event before it ended. It ends the event with
    ///     ``complete(_:)``, or asks somebody far away to do so.
    package init(hasEffects: Bool = true, onCancel: (@Sendable () -> Void)? = nil) {
        state = Mutex(State(hasEffects: hasEffects, onCancel: onCancel))
    }

    /// Nil while the event runs.
    package var outcome: EventOutcome? { state.withLock { $0.outcome } }
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package var hasEffects: Bool {
        get { state.withLock { $0.hasEffects } }
        set { state.withLock { $0.hasEffects = newValue } }
    }

    /// Ends the event. Only the first call counts.
    /// - Returns: whether this was the first call.
    @discardableResult
    package func complete(_ outcome: EventOutcome) -> Bool {
        let ended = state.withLock { state -> State? in
            guard state.outcome == nil else { return nil }
            let before = state
            state.outcome = outcome
            if outcome == .cancelled { state.isCancelled = true }
            state.waiters = [:]
            state.callbacks = []
            state.onCancel = nil
            return before
        }
        guard let ended else { return false }
        for waiter in ended.waiters.values { waiter.resume(returning: outcome) }
        for callback in ended.callbacks { callback(outcome) }
        return true
    }

    /// Cancels the event unless it has ended.
    package func cancel() {
        let onCancel = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.outcome == nil, !state.isCancelled else { return nil }
            state.isCancelled = true
            return state.onCancel.take()
        }
        onCancel?()
    }

    /// Says what cancelling means from now on; called at once if the event was cancelled before.
    package func onCancel(_ body: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if state.outcome == nil, !state.isCancelled { state.onCancel = body }
            return state.outcome == nil && state.isCancelled
        }
        if isLate { body() }
    }

    /// See ``EventTask/onCompletion(_:)``.
    package func onCompletion(_ body: @escaping @Sendable (EventOutcome) -> Void) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.callbacks.append(body) }
            return state.outcome
        }
        if let outcome { body(outcome) }
    }

    /// Waits for the outcome. Cancelling the waiter cancels the event and gives ``EventOutcome/cancelled`` at once,
    /// also where the event itself takes longer to end.
    ///
    /// - Parameter isolation: The caller's. As a parameter, so that the closures below stay on it: those of a
    ///   `nonisolated(nonsending)` function would go to the global executor and back, two changes of threads for nothing.
    package func wait(isolation: isolated (any Actor)? = #isolation) async -> EventOutcome {
        let (outcome, waiter) = state.withLock { state in
            state.nextWaiter += 1
            return (state.outcome, state.nextWaiter)
        }
        if let outcome { return outcome }
        // Only where the change to the actor cannot run its code on the thread that completes the event.
        guard isolation === MainActor.shared else { return await suspend(waiter) }
        return await withTaskExecutorPreference(InlineExecutor.shared) {
            _ = isolation
            return await suspend(waiter)
        }
    }

    private func suspend(_ waiter: Int, isolation: isolated (any Actor)? = #isolation) async -> EventOutcome {
        await withTaskCancellationHandler {
            // Mentioned, else the closure does not inherit it.
            _ = isolation
            return await withCheckedContinuation { continuation in
                begin(waiter, continuation)
            }
        } onCancel: {
            abandon(waiter)
        }
    }

    private func begin(_ waiter: Int, _ continuation: CheckedContinuation<EventOutcome, Never>) {
        let outcome = state.withLock { state -> EventOutcome? in
            if state.abandoned.remove(waiter) != nil { return state.outcome ?? .cancelled }
            if state.outcome == nil { state.waiters[waiter] = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    private func abandon(_ waiter: Int) {
        // The event first: whoever hears `cancelled` may rely on the effects having been told.
        cancel()
        let continuation = state.withLock { state in
            let continuation = state.waiters.removeValue(forKey: waiter)
            if continuation == nil, state.outcome == nil { state.abandoned.insert(waiter) }
            return continuation
        }
        continuation?.resume(returning: .cancelled)
    }
}
