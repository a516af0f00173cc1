/// When to ask the other side whether it is there, and when to give it up.
///
/// Time comes in as an argument, so it is tested by reading instants. Only a pong counts as an answer: it comes from the
/// thread that handles events, which other messages do not always. Time in which nobody ticked does not count: this
/// process was stopped or asleep itself, and the answer may lie unread.
/// - `quiet`: nothing is asked.
/// - `asked`: a ping is out since an instant.
package struct Heartbeat: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        case none
        case ping(UInt64)
        /// Nothing came for this long.
        case giveUp(Duration)
    }

    private enum State: Sendable, Equatable {
        case quiet(since: ContinuousClock.Instant)
        case asked(number: UInt64, at: ContinuousClock.Instant)
    }

    /// How often to ask.
    package let interval: Duration
    /// How long to wait for the answer.
    package let limit: Duration
    private var state: State
    private var lastTick: ContinuousClock.Instant
    private var number: UInt64 = 0

    package init(interval: Duration, limit: Duration, now: ContinuousClock.Instant) {
        self.interval = interval
        self.limit = limit
        state = .quiet(since: now)
        lastTick = now
    }

    package mutating func tick(now: ContinuousClock.Instant) -> Action {
        let unwatched = max(lastTick.duration(to: now) - interval, .zero)
        lastTick = now
        switch state {
        case .quiet(let since):
            guard since.duration(to: now) >= interval else { return .none }
            number += 1
            state = .asked(number: number, at: now)
            return .ping(number)
        case .asked(let number, let asked):
            let start = asked + unwatched
            state = .asked(number: number, at: start)
            let silence = start.duration(to: now)
            return silence >= limit ? .giveUp(silence) : .none
        }
    }

    package mutating func receive(pong: UInt64, now: ContinuousClock.Instant) {
        guard case .asked(let number, _) = state, number == pong else { return }
        state = .quiet(since: now)
    }
}
