import LatticeWire

/// When to ask the other side whether it is there, and when to give it up.
///
/// Time comes in as an argument, so it is tested by reading instants. Only a pong counts as an answer: it comes from
/// the thread that handles events, which other messages do not always. An unasked one is no answer, but the wait for
/// that begins anew: the thread is at work on a large value and will come to the ping. Time by which a tick came much
/// later than `due` does not count: this process was stopped, asleep or busy itself, and the answer may lie unread.
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
        case quiet
        case asked(number: UInt64, at: ContinuousClock.Instant)
    }

    /// A tick that comes this late has come on time.
    private static let tolerance: Duration = .milliseconds(25)

    /// How often to ask.
    package let interval: Duration
    /// How long to wait for the answer.
    package let limit: Duration
    /// When the next tick has something to do.
    package private(set) var due: ContinuousClock.Instant
    private var state: State
    private var number: UInt64 = 0

    package init(interval: Duration, limit: Duration, now: ContinuousClock.Instant) {
        self.interval = interval
        self.limit = limit
        state = .quiet
        due = now + interval
    }

    package mutating func tick(now: ContinuousClock.Instant) -> Action {
        switch state {
        case .quiet:
            guard now >= due else { return .none }
            number += 1
            state = .asked(number: number, at: now)
            due = now + min(interval, limit)
            return .ping(number)
        case .asked(let number, let asked):
            let late = due.duration(to: now)
            let start = late > Self.tolerance ? min(asked + late, now) : asked
            state = .asked(number: number, at: start)
            let silence = start.duration(to: now)
            // After a long absence there is another look: what came meanwhile may not have been read.
            if silence >= limit, late < max(interval, Self.tolerance) { return .giveUp(silence) }
            due = now + (silence >= limit ? interval : min(interval, limit - silence))
            return .none
        }
    }

    package mutating func receive(pong: UInt64, now: ContinuousClock.Instant) {
        guard case .asked(let number, let asked) = state else { return }
        if pong == Pong.unasked { state = .asked(number: number, at: now) }
        guard number == pong else { return }
        state = .quiet
        due = max(now, asked + interval)
    }
}
