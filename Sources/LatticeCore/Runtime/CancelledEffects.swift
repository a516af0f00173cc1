import LatticeConcurrency

/// The cancelled effects of one event whose closures have not returned.
///
/// The event has ended without them, and their results are dropped. A caller of ``EventTask/finish(isolation:)`` also
/// waits for these effects, for a limited time, until nothing of the event runs. An effect that is cancelled before it
/// has started is never in this collection, because ``EventTree`` does not let it start.
package final class CancelledEffects: Sendable {
    private struct State {
        var effects: Set<Int> = []
        /// The time of the last cancellation.
        var cancelledAt = ContinuousClock.now
        var waiters = Waiters<Void>()
    }

    private let state = Locked(State())

    func insert(_ effects: some Sequence<Int> & Sendable) {
        state.withLock { state in
            state.effects.formUnion(effects)
            state.cancelledAt = .now
        }
    }

    /// Removes an effect whose closure has returned. It can be called on any thread.
    func remove(_ effect: Int) {
        let waiters = state.withLock { state -> Waiters<Void>? in
            guard state.effects.remove(effect) != nil, state.effects.isEmpty else { return nil }
            return state.waiters.takeAll()
        }
        waiters?.resume()
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
