import LatticeConcurrency

/// The periods of a throttle, one for each key, and the calls that wait for their ends.
///
/// The order of calls is determined where they are made: ``begin(_:_:)`` takes the call's place before it returns.
final class ThrottleCalls<C: Clock>: Sendable {
    private struct State {
        var lastTicket: UInt64 = 0
        var periods: [EffectID: ThrottleState<C.Instant>] = [:]
        /// Functions that skip the waiting calls.
        var waiting: [UInt64: @Sendable () -> Void] = [:]
        /// The number of periods at which expired periods are removed.
        var sweepCount = ThrottleLimits.periodsBeforeSweep

        /// Removes expired periods from time to time, so that the number of stored periods stays close to the number of
        /// running ones.
        mutating func sweep(at now: C.Instant) {
            guard periods.count >= sweepCount else { return }
            periods = periods.filter { !$0.value.isOver(at: now) }
            sweepCount = max(ThrottleLimits.periodsBeforeSweep, 2 * periods.count)
        }
    }

    private let fresh: ThrottleState<C.Instant>
    private let clock: C
    private let state = Locked(State())

    init(for duration: C.Duration, clock: C, edges: ThrottleEdges) {
        fresh = ThrottleState(for: duration, edges: edges)
        self.clock = clock
    }

    /// Makes a call.
    /// - Parameter waitsForEnd: Whether a waiting call that is cancelled also waits for its work.
    /// - Returns: A function that the caller must await for the result. It runs the work, or waits until the work has
    ///   run.
    func begin<Value: Sendable>(
        _ key: EffectID,
        waitsForEnd: Bool = false,
        _ work: @escaping @Sendable () async -> Value
    ) -> @Sendable () async -> ThrottleResult<Value> {
        let call = OneShot<ThrottleResult<Value>>()
        switch place(key, skip: { call.complete(.skipped) }) {
        case .run:
            return { Task.isCancelled ? .skipped : .executed(await work()) }
        case .skip:
            return { .skipped }
        case .wait(let ticket, let end):
            call.run { [clock] call in
                let hasSlept = await (try? clock.wait(until: end)) != nil
                let runs = self.wake(ticket, key, waited: hasSlept && !call.isComplete)
                call.complete(runs ? .executed(await work()) : .skipped)
            }
            return { await call.value(ifCancelled: .skipped, awaitsTasks: waitsForEnd) }
        }
    }

    private enum Place {
        case run, skip
        case wait(ticket: UInt64, until: C.Instant)
    }

    private func place(_ key: EffectID, skip: @escaping @Sendable () -> Void) -> Place {
        let now = clock.now
        let (place, replaced) = state.withLock { state -> (Place, (@Sendable () -> Void)?) in
            state.lastTicket += 1
            let ticket = state.lastTicket
            state.sweep(at: now)
            switch state.periods[key, default: fresh].callArrived(ticket, at: now) {
            case .run: return (.run, nil)
            case .skip: return (.skip, nil)
            case .wait(let end, let other):
                state.waiting[ticket] = skip
                return (.wait(ticket: ticket, until: end), other.flatMap { state.waiting.removeValue(forKey: $0) })
            }
        }
        replaced?()
        return place
    }

    /// Ends the wait of a call.
    /// - Returns: Whether the call runs.
    private func wake(_ ticket: UInt64, _ key: EffectID, waited: Bool) -> Bool {
        let now = clock.now
        return state.withLock { state in
            state.waiting[ticket] = nil
            if waited { return state.periods[key]?.waitEnded(ticket, at: now) ?? false }
            state.periods[key]?.waitCancelled(ticket)
            return false
        }
    }

    /// Whether a period is running, or a call waits for the end of one.
    var isInPeriod: Bool {
        let now = clock.now
        return state.withLock { state in state.periods.contains { !$0.value.isOver(at: now) } }
    }

    /// The number of keys with a stored period.
    var count: Int { state.withLock { $0.periods.count } }
}
