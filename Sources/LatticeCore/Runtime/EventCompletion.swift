import LatticeConcurrency

/// The end of one event. The code that runs the event completes it, and the sender waits for it or cancels it, each on
/// any thread.
package final class EventCompletion: Sendable {
    private struct State {
        var outcome: EventOutcome?
        /// The cancelled effects of the event that may still run.
        var leaving: CancelledEffects?
        /// The first cancellation, even if the event has not ended or ends in another way.
        var cancellation: Cancellation?
        var hasEffects: Bool
        var canceller: (any EventCancelling)?
        /// Whether cancelling the event is certain to end it.
        var endsWhenCancelled: Bool
        var waiters = Waiters<EventOutcome>()
        var callbacks: [@Sendable (EventOutcome) -> Void] = []
    }

    private let state: Locked<State>
    /// The number by which the canceller identifies the event.
    private let event: UInt64

    /// Creates the end of an event.
    /// - Parameters:
    ///   - hasEffects: The initial value of `EventTask.hasEffects`.
    ///   - canceller: The object that cancels the event. It is called at most once, if the event is cancelled before it
    ///     has ended. It ends the event with ``complete(_:)``, or asks another process to do so. It is retained until
    ///     the event ends.
    ///   - event: The number of the event, which is passed to the canceller.
    package init(hasEffects: Bool = true, canceller: (any EventCancelling)? = nil, event: UInt64 = 0) {
        state = Locked(
            State(hasEffects: hasEffects, canceller: canceller, endsWhenCancelled: canceller?.endsEvents ?? false)
        )
        self.event = event
    }

    /// The outcome, or nil while the event runs.
    package var outcome: EventOutcome? { state.withLock { $0.outcome } }
    /// A Boolean value that indicates whether the event was cancelled.
    package var isCancelled: Bool { cancellation != nil }
    /// The first cancellation of the event, or nil if the event was not cancelled.
    package var cancellation: Cancellation? { state.withLock(\.cancellation) }

    /// A Boolean value that indicates whether the event has started effects.
    package var hasEffects: Bool {
        get { state.withLock { $0.hasEffects } }
        set { state.withLock { $0.hasEffects = newValue } }
    }

    /// Ends the event. Only the first call has an effect.
    /// - Parameters:
    ///   - outcome: The outcome of the event.
    ///   - leaving: The cancelled effects of the event that may still run.
    /// - Returns: Whether this was the first call.
    @discardableResult
    package func complete(_ outcome: EventOutcome, leaving: CancelledEffects? = nil) -> Bool {
        let taken = state.withLock {
            state -> (Waiters<EventOutcome>, [@Sendable (EventOutcome) -> Void], AnyObject?)? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            state.leaving = leaving
            if case .cancelled(let cancellation) = outcome { state.cancellation = cancellation }
            defer { state.callbacks = [] }
            // The canceller is returned, so that it is released outside the lock.
            return (state.waiters.takeAll(), state.callbacks, state.canceller.take())
        }
        guard let (waiters, callbacks, canceller) = taken else { return false }
        // The span of the event is ended by a callback, and a waiter may read its spans when it continues.
        for callback in callbacks { callback(outcome) }
        waiters.resume(returning: outcome)
        withExtendedLifetime(canceller) {}
        return true
    }

    /// Cancels the event unless it has ended or was cancelled before.
    package func cancel(_ cancellation: Cancellation = Cancellation(by: .sender)) {
        let canceller = state.withLock { state -> (any EventCancelling)? in
            guard state.outcome == nil, state.cancellation == nil else { return nil }
            state.cancellation = cancellation
            return state.canceller.take()
        }
        canceller?.cancel(event: event, cancellation)
    }

    /// Sets the object that cancels the event. If the event has already been cancelled, the object is called at once.
    package func setCanceller(_ canceller: any EventCancelling) {
        let cancellation = state.withLock { state -> Cancellation? in
            state.endsWhenCancelled = canceller.endsEvents
            guard state.outcome == nil else { return nil }
            if state.cancellation == nil { state.canceller = canceller }
            return state.cancellation
        }
        if let cancellation { canceller.cancel(event: event, cancellation) }
    }

    /// Calls `body` with the outcome. See ``EventTask/onCompletion(_:)``.
    package func onCompletion(_ body: @escaping @Sendable (EventOutcome) -> Void) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.callbacks.append(body) }
            return state.outcome
        }
        if let outcome { body(outcome) }
    }

    /// Calls `work` after a delay, unless the event has ended by then. `work` runs on a thread that serves all timers,
    /// so it should only forward the call.
    package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        guard outcome == nil else { return }
        let timer = TimerThread.shared.after(delay, work)
        onCompletion { _ in TimerThread.shared.cancel(timer) }
    }

    /// Waits for the outcome, and then until the cancelled effects have returned. See ``EventTask/finish(isolation:)``.
    ///
    /// - Parameter cancellationGrace: The maximum time to wait for the cancelled effects. If it is zero, the method
    ///   does not wait for them.
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

    /// Waits for the outcome. Cancelling the waiting task cancels the event. If the event then takes longer to end, the
    /// result is ``EventOutcome/cancelled`` at once.
    ///
    /// - Parameter isolation: The isolation of the caller. It is a parameter so that the closures below stay on it. The
    ///   closures of a `nonisolated(nonsending)` function would move to the global executor and back, which costs two
    ///   needless changes of threads.
    package func wait(isolation: isolated (any Actor)? = #isolation) async -> EventOutcome {
        let (outcome, waiter) = state.withLock { ($0.outcome, $0.waiters.makeID()) }
        if let outcome { return outcome }
        // The executor preference is used only for the main actor, whose code cannot run on the thread that ends the
        // event.
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
            // Mentioning the isolation makes the closure inherit it.
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
        // The cancellation handler is not called if the wait ends before it, so the event is cancelled here.
        if isLate { cancel(Self.waiterCancellation) }
        if let outcome = outcome ?? (isLate ? .cancelled(Self.waiterCancellation) : nil) {
            continuation.resume(returning: outcome)
        }
    }

    private func abandon(_ waiter: Waiters<EventOutcome>.ID) {
        // The event is cancelled first, so that after a result of `cancelled` its effects are certain to be cancelled.
        cancel(Self.waiterCancellation)
        state.withLock { $0.endsWhenCancelled ? nil : $0.waiters.take(waiter) }?
            .resume(returning: .cancelled(Self.waiterCancellation))
    }

    /// The cancellation by the end of a task that waited for the event.
    private static let waiterCancellation = Cancellation(
        by: .sender,
        reason: "A task that waited for the event was cancelled."
    )
}

/// An object that can cancel an event that was sent.
package protocol EventCancelling: AnyObject, Sendable {
    /// Whether cancelling ends the event at once, instead of asking another process to end it.
    var endsEvents: Bool { get }

    /// Cancels the event with a number. It can be called on any thread, and is called at most once for each event.
    func cancel(event: UInt64, _ cancellation: Cancellation)
}
