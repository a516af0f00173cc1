import LatticeConcurrency

/// The periods of a throttle, one for each key, and the calls that wait for their ends.
///
/// What becomes of a call is decided where it is made: ``begin(_:_:)`` takes its place before it returns.
final class ThrottleCalls<C: Clock>: Sendable {
    private struct State {
        var lastTicket: UInt64 = 0
        var periods: [EffectID: ThrottleState<C.Instant>] = [:]
        /// How to skip the calls that wait.
        var waiting: [UInt64: @Sendable () -> Void] = [:]
        /// The number of periods at which those that are over are thrown away.
        var sweepCount = ThrottleLimits.periodsBeforeSweep

        /// Throws away the periods that are over, now and then, so that they never outnumber the others by much.
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
    /// - Parameter waitsForEnd: whether a call that waits and is cancelled waits for its work as well.
    /// - Returns: what has to be awaited for its result: it runs the work, or waits until that has run.
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
            switch state.periods[key, default: fresh].came(ticket, at: now) {
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

    /// - Returns: whether the call runs.
    private func wake(_ ticket: UInt64, _ key: EffectID, waited: Bool) -> Bool {
        let now = clock.now
        return state.withLock { state in
            state.waiting[ticket] = nil
            if waited { return state.periods[key]?.woke(ticket, at: now) ?? false }
            state.periods[key]?.gaveUp(ticket)
            return false
        }
    }

    /// Whether a period runs, or a call waits for the end of one.
    var isInPeriod: Bool {
        let now = clock.now
        return state.withLock { state in state.periods.contains { !$0.value.isOver(at: now) } }
    }

    /// Keys whose period is kept.
    var count: Int { state.withLock { $0.periods.count } }
}
