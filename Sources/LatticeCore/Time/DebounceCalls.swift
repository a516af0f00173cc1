import LatticeConcurrency

/// The last call of each key. It either waits for its period to end, or its work is running.
///
/// The order of calls is determined where they are made: ``begin(_:_:)`` takes the call's place and deadline before it
/// returns, regardless of what the tasks do later.
final class DebounceCalls<C: Clock>: Sendable {
    private struct Call {
        let ticket: UInt64
        let supersede: @Sendable () -> Void
    }

    private struct State {
        var lastTicket: UInt64 = 0
        /// The last call of each key. A call is removed when it ends, so there are at most as many entries as running
        /// calls.
        var calls: [EffectID: Call] = [:]
    }

    private let duration: C.Duration
    private let clock: C
    private let state = Locked(State())

    init(for duration: C.Duration, clock: C) {
        self.duration = duration
        self.clock = clock
    }

    /// Makes a call the last one of its key. The previous call is superseded, and its wait and its work are cancelled.
    /// - Returns: The call. Await its value with `.superseded` as the value for a cancellation.
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
            // If the call was superseded before this point, the work never starts. If it is superseded later, the
            // result is dropped.
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
            // Cancelled. The call is complete already, except if the clock has stopped.
            call.complete(.superseded)
        }
    }

    private func remove(_ ticket: UInt64, _ key: EffectID) {
        state.withLock { state in
            if state.calls[key]?.ticket == ticket { state.calls[key] = nil }
        }
    }

    /// The number of calls that wait or whose work is running.
    var count: Int { state.withLock { $0.calls.count } }
}
