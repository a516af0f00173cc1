import LatticeConcurrency

/// Effects of one event that were told to end, and whose closures have not returned.
///
/// The event is over without them: their results are dropped. Who waits for it in ``EventTask/finish(isolation:)``
/// waits for them as well, until nothing of the event runs any more, or for a while at most. What is cancelled before
/// it has begun never comes here: ``EventTree`` does not let it begin.
package final class CancelledEffects: Sendable {
    private struct State {
        var effects: Set<Int> = []
        /// When the last of them was told.
        var told = ContinuousClock.now
        var waiters = Waiters<Void>()
    }

    private let state = Locked(State())

    func insert(_ effects: some Sequence<Int> & Sendable) {
        state.withLock { state in
            state.effects.formUnion(effects)
            state.told = .now
        }
    }

    /// The closure of an effect has returned. Any thread.
    func remove(_ effect: Int) {
        let waiters = state.withLock { state -> Waiters<Void>? in
            guard state.effects.remove(effect) != nil, state.effects.isEmpty else { return nil }
            return state.waiters.takeAll()
        }
        waiters?.resume()
    }

    /// Returns when all have returned, or when `grace` is over since they were told. Cancelling the task that waits
    /// changes nothing.
    func wait(atMost grace: Duration, isolation: isolated (any Actor)? = #isolation) async {
        // As in `EventCompletion.wait`.
        guard isolation === MainActor.shared else { return await suspend(atMost: grace) }
        await withTaskExecutorPreference(InlineExecutor.shared) {
            _ = isolation
            await suspend(atMost: grace)
        }
    }

    private func suspend(atMost grace: Duration, isolation: isolated (any Actor)? = #isolation) async {
        await withCheckedContinuation { continuation in
            let (waiter, left) = state.withLock { state -> (Waiters<Void>.ID?, Duration) in
                let left = grace - state.told.duration(to: .now)
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
