import LatticeConcurrency

/// The end of one event, as all who care share it: whoever runs the event completes it, whoever sent it waits for it
/// or cancels it, each from any thread.
package final class EventCompletion: Sendable {
    private struct State {
        var outcome: EventOutcome?
        /// What may still run of an event that did not end by itself.
        var leaving: CancelledEffects?
        var isCancelled = false
        var hasEffects: Bool
        var canceller: (any EventCancelling)?
        /// Whether the outcome is sure to come as soon as somebody cancels the event.
        var endsWhenCancelled: Bool
        var waiters = Waiters<EventOutcome>()
        var callbacks: [@Sendable (EventOutcome) -> Void] = []
    }

    private let state: Locked<State>
    /// The number under which the canceller knows the event.
    private let event: UInt64

    /// - Parameters:
    ///   - hasEffects: what `EventTask.hasEffects` says until something better is known.
    ///   - canceller: is called at most once, when somebody cancels the event before it ended. It ends the event with
    ///     ``complete(_:)``, or asks somebody far away to do so. Kept until the event ends.
    ///   - event: the number that it is told.
    package init(hasEffects: Bool = true, canceller: (any EventCancelling)? = nil, event: UInt64 = 0) {
        state = Locked(
            State(hasEffects: hasEffects, canceller: canceller, endsWhenCancelled: canceller?.endsEvents ?? false)
        )
        self.event = event
    }

    /// Nil while the event runs.
    package var outcome: EventOutcome? { state.withLock { $0.outcome } }
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package var hasEffects: Bool {
        get { state.withLock { $0.hasEffects } }
        set { state.withLock { $0.hasEffects = newValue } }
    }

    /// Ends the event. Only the first call counts.
    /// - Parameter leaving: what may still run of it.
    /// - Returns: whether this was the first call.
    @discardableResult
    package func complete(_ outcome: EventOutcome, leaving: CancelledEffects? = nil) -> Bool {
        let taken = state.withLock {
            state -> (Waiters<EventOutcome>, [@Sendable (EventOutcome) -> Void], AnyObject?)? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.leaving = leaving
            if case .cancelled = outcome { state.isCancelled = true }
            defer { state.callbacks = [] }
            // The canceller is taken along, so that letting go of it happens outside the lock.
            return (state.waiters.takeAll(), state.callbacks, state.canceller.take())
        }
        guard let (waiters, callbacks, _) = taken else { return false }
        waiters.resume(returning: outcome)
        for callback in callbacks { callback(outcome) }
        return true
    }

    /// Cancels the event unless it has ended.
    package func cancel() {
        let canceller = state.withLock { state -> (any EventCancelling)? in
            guard state.outcome == nil, !state.isCancelled else { return nil }
            state.isCancelled = true
            return state.canceller.take()
        }
        canceller?.cancel(event: event)
    }

    /// Says who cancels it from now on; told at once if the event was cancelled before.
    package func setCanceller(_ canceller: any EventCancelling) {
        let isLate = state.withLock { state in
            state.endsWhenCancelled = canceller.endsEvents
            if state.outcome == nil, !state.isCancelled { state.canceller = canceller }
            return state.outcome == nil && state.isCancelled
        }
        if isLate { canceller.cancel(event: event) }
    }

    /// See ``EventTask/onCompletion(_:)``.
    package func onCompletion(_ body: @escaping @Sendable (EventOutcome) -> Void) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.callbacks.append(body) }
            return state.outcome
        }
        if let outcome { body(outcome) }
    }

    /// Does `work` when some time is over, unless the event has ended by then. On a thread that others wait for: `work`
    /// only hands on.
    package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        guard outcome == nil else { return }
        let timer = TimerThread.shared.after(delay, work)
        onCompletion { _ in TimerThread.shared.cancel(timer) }
    }

    /// Waits for the outcome, and then for the effects that were cancelled to return; see
    /// ``EventTask/finish(isolation:)``.
    ///
    /// - Parameter cancellationGrace: for how long the latter at most; by zero not at all.
    package func finish(
        cancellationGrace: Duration,
        isolation: isolated (any Actor)? = #isolation
    ) async -> EventOutcome {
        let outcome = await wait()
        if outcome != .finished, cancellationGrace > .zero, let leaving = state.withLock(\.leaving) {
            await leaving.wait(atMost: cancellationGrace)
        }
        return outcome
    }

    /// Waits for the outcome. Cancelling the waiter cancels the event, and gives ``EventOutcome/cancelled`` at once
    /// where the event takes longer to end.
    ///
    /// - Parameter isolation: The caller's. As a parameter, so that the closures below stay on it: those of a
    ///   `nonisolated(nonsending)` function would go to the global executor and back, two changes of threads for
    ///   nothing.
    package func wait(isolation: isolated (any Actor)? = #isolation) async -> EventOutcome {
        let (outcome, waiter) = state.withLock { ($0.outcome, $0.waiters.makeID()) }
        if let outcome { return outcome }
        // Only where the change to the actor cannot run its code on the thread that completes the event.
        guard isolation === MainActor.shared else { return await suspend(waiter) }
        return await withTaskExecutorPreference(InlineExecutor.shared) {
            _ = isolation
            return await suspend(waiter)
        }
    }

    private func suspend(_ waiter: Waiters<EventOutcome>.ID, isolation: isolated (any Actor)? = #isolation) async
        -> EventOutcome
    {
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

    private func begin(_ waiter: Waiters<EventOutcome>.ID, _ continuation: Waiters<EventOutcome>.Continuation) {
        let (outcome, isLate) = state.withLock { state -> (EventOutcome?, Bool) in
            if let outcome = state.outcome { return (outcome, false) }
            let isLate = Task.isCancelled && !state.endsWhenCancelled
            return (nil, !state.waiters.add(continuation, as: waiter, isCancelled: isLate))
        }
        // A wait that is over before the cancellation handler was called takes that handler away.
        if isLate { cancel() }
        if let outcome = outcome ?? (isLate ? .cancelled : nil) { continuation.resume(returning: outcome) }
    }

    private func abandon(_ waiter: Waiters<EventOutcome>.ID) {
        // The event first: whoever hears `cancelled` may rely on the effects having been told.
        cancel()
        state.withLock { $0.endsWhenCancelled ? nil : $0.waiters.take(waiter) }?.resume(returning: .cancelled)
    }
}

/// Whoever can cancel an event that was sent.
package protocol EventCancelling: AnyObject, Sendable {
    /// Whether cancelling ends the event, rather than asking somebody far away to end it.
    var endsEvents: Bool { get }

    /// Somebody cancelled the event with this number. Any thread; at most once for each event.
    func cancel(event: UInt64)
}
