import LatticeConcurrency

/// The last call under each key, which waits for its period to pass or is at work.
///
/// Which call is the last is decided where it is made: ``begin(_:_:)`` takes its place and its deadline before it
/// returns, whatever the tasks do later.
final class DebounceCalls<C: Clock>: Sendable {
    private struct Call {
        let ticket: UInt64
        let supersede: @Sendable () -> Void
    }

    private struct State {
        var lastTicket: UInt64 = 0
        /// A call leaves with its end, so there are no more entries than calls that run.
        var calls: [EffectID: Call] = [:]
    }

    private let duration: C.Duration
    private let clock: C
    private let state = Locked(State())

    init(for duration: C.Duration, clock: C) {
        self.duration = duration
        self.clock = clock
    }

    /// Makes a call the last one of its key: the one before it is superseded, its wait and its work are cancelled.
    /// - Returns: the call; its value is to be asked for with `.superseded` for the case of a cancellation.
    func begin<Value: Sendable>(
        _ key: EffectID,
        _ work: @escaping @Sendable (OneShot<DebounceResult<Value>>) async -> Value
    ) -> OneShot<DebounceResult<Value>> {
        let deadline = clock.now.advanced(by: duration)
        let call = OneShot<DebounceResult<Value>>()
        let (ticket, previous) = state.withLock { state in
            state.lastTicket += 1
            let call = Call(ticket: state.lastTicket) { call.complete(.superseded) }
            return (call.ticket, state.calls.updateValue(call, forKey: key))
        }
        previous?.supersede()
        call.run { [clock] call in
            await Self.wait(until: deadline, on: clock, for: call)
            // Superseded meanwhile: the work never begins. Superseded while it runs: its result comes too late.
            if !call.isComplete { call.complete(.executed(await work(call))) }
            self.remove(ticket, key)
        }
        return call
    }

    private static func wait<Value>(
        until deadline: C.Instant,
        on clock: C,
        for call: OneShot<DebounceResult<Value>>
    ) async {
        do {
            try await clock.wait(until: deadline)
        } catch {
            // Cancelled. Its call is complete already, unless it is the clock that has stopped.
            call.complete(.superseded)
        }
    }

    private func remove(_ ticket: UInt64, _ key: EffectID) {
        state.withLock { state in
            if state.calls[key]?.ticket == ticket { state.calls[key] = nil }
        }
    }

    /// Calls that wait or are at work.
    var count: Int { state.withLock { $0.calls.count } }
}
