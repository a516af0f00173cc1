import LatticeConcurrency

/// The cancelled effects of one event whose closures have not returned.
///
/// The event has ended without them, and their results are dropped. A caller of ``EventTask/finish(isolation:)`` also
/// waits for these effects, for a limited time, until nothing of the event runs. An effect that is cancelled before it
/// has started is never in this collection, because ``EventTree`` does not let it start. Effects that take long to
/// return are reported, see ``LingeringEffects``.
package final class CancelledEffects: Sendable {
    private struct State {
        /// The effects, with the times of their cancellations until they are reported.
        var effects: [Int: ContinuousClock.Instant?] = [:]
        /// The time of the last cancellation.
        var cancelledAt = ContinuousClock.now
        var waiters = Waiters<Void>()
        /// The timer of the next report. Nil if there are no effects, or if all were reported.
        var timer: Timers.Key?
    }

    private let event: EventID?
    private let policy: LingeringEffects.Policy
    private let state = Locked(State())

    /// - Parameters:
    ///   - event: The event of the effects, or nil if it has no ID.
    ///   - policy: What to do about effects that do not return.
    init(of event: EventID?, policy: LingeringEffects.Policy = LingeringEffects.policy) {
        self.event = event
        self.policy = policy
    }

    func insert(_ effects: some Sequence<Int> & Sendable) {
        state.withLock { state in
            state.cancelledAt = .now
            for effect in effects { state.effects.updateValue(state.cancelledAt, forKey: effect) }
            if state.timer == nil { state.timer = makeTimer(after: policy.grace) }
        }
    }

    private func makeTimer(after time: Duration) -> Timers.Key {
        TimerThread.shared.after(time) { [weak self] in self?.report() }
    }

    /// Reports the effects that have not returned in time, each once. The others are reported when their time is over.
    private func report() {
        let count = state.withLock { state -> Int in
            state.timer = nil
            let now = ContinuousClock.now
            let overdue = state.effects.filter { _, since in since.map { now >= $0 + policy.grace } ?? false }.keys
            for effect in overdue { state.effects.updateValue(nil, forKey: effect) }
            let next = state.effects.values.compactMap(\.self).min()
            if let next { state.timer = makeTimer(after: now.duration(to: next + policy.grace)) }
            return overdue.count
        }
        guard count > 0 else { return }
        policy.report(LingeringEffects(event: event, effects: count, grace: policy.grace))
    }

    /// A Boolean value that indicates whether effects will be reported unless they return.
    var isReportDue: Bool { state.withLock { $0.timer != nil } }

    /// Removes an effect whose closure has returned. It can be called on any thread.
    func remove(_ effect: Int) {
        let (waiters, timer) = state.withLock { state -> (Waiters<Void>?, Timers.Key?) in
            guard state.effects.removeValue(forKey: effect) != nil, state.effects.isEmpty else { return (nil, nil) }
            return (state.waiters.takeAll(), state.timer.take())
        }
        waiters?.resume()
        if let timer { TimerThread.shared.cancel(timer) }
    }

    /// Waits until all effects have returned, or until `grace` has passed since the last cancellation. Cancelling the
    /// waiting task has no effect.
    func wait(atMost grace: Duration, isolation: isolated (any Actor)? = #isolation) async {
        // See `EventCompletion.wait`.
        guard isolation === MainActor.shared else { return await suspend(atMost: grace) }
        await withTaskExecutorPreference(InlineExecutor.shared) {
            _ = isolation
            await suspend(atMost: grace)
        }
    }

    private func suspend(atMost grace: Duration, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let (waiter, left) = state.withLock { state -> (Waiters<Void>.ID?, Duration) in
                let left = grace - state.cancelledAt.duration(to: .now)
                guard !state.effects.isEmpty, left > .zero else { return (nil, left) }
                return (state.waiters.add(continuation), left)
            }
            guard let waiter else { return continuation.resume() }
            TimerThread.shared.after(left) { [weak self] in
                self?.state.withLock { $0.waiters.take(waiter) }?.resume()
            }
        }
    }
}
