import Dispatch
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

    // Not the threads that effects run on: those that do not listen may hold them all.
    private static let timer = DispatchQueue(label: "lattice-cancellation")

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
        await withCheckedContinuation { continuation in
            let (waiter, left) = state.withLock { state -> (Waiters<Void>.ID?, Duration) in
                let left = grace - state.told.duration(to: .now)
                guard !state.effects.isEmpty, left > .zero else { return (nil, left) }
                return (state.waiters.add(continuation), left)
            }
            guard let waiter else { return continuation.resume() }
            Self.timer.asyncAfter(deadline: .now() + DispatchTimeInterval(left)) { [weak self] in
                self?.state.withLock { $0.waiters.take(waiter) }?.resume()
            }
        }
    }
}

extension DispatchTimeInterval {
    /// Whole nanoseconds, up to 292 years.
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self = .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
