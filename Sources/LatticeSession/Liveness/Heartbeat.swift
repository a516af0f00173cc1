import LatticeWire

/// When to ask the other side whether it is there, and when to give it up.
///
/// Time comes in as an argument, so it is tested by reading instants. Only a pong counts as an answer: it comes from
/// the thread that handles events, which other messages do not always. An unasked one is no answer, but the wait for
/// that begins anew: the thread is at work on a large value and will come to the ping. Time by which a tick came much
/// later than `due` does not count: this process was stopped, asleep or busy itself, and the answer may lie unread.
/// - `quiet`: nothing is asked.
/// - `asked`: a ping is out since an instant; the answer is late once that was told.
package struct Heartbeat: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        case none
        case ping(UInt64)
        /// Nothing came for so long that whoever has the session is to know. Once for each ping.
        case late(Duration)
        /// Nothing came for this long. Told again after each interval if the other side is not given up.
        case giveUp(Duration)
    }

    private enum State: Sendable, Equatable {
        case quiet
        case asked(number: UInt64, at: ContinuousClock.Instant, isLate: Bool)
    }

    /// A tick that comes this late has come on time.
    private static let tolerance: Duration = .milliseconds(25)

    package let times: Liveness
    /// When the next tick has something to do.
    package private(set) var due: ContinuousClock.Instant
    private var state: State
    private var number: UInt64 = 0

    package init(_ times: Liveness, now: ContinuousClock.Instant) {
        self.times = times
        state = .quiet
        due = now + times.interval
    }

    package mutating func tick(now: ContinuousClock.Instant) -> Action {
        switch state {
        case .quiet:
            guard now >= due else { return .none }
            number += 1
            state = .asked(number: number, at: now, isLate: false)
            due = now + wait(behind: .zero)
            return .ping(number)
        case .asked(let number, let asked, let isLate):
            let absence = due.duration(to: now)
            let start = absence > Self.tolerance ? min(asked + absence, now) : asked
            let silence = start.duration(to: now)
            due = now + wait(behind: silence)
            // After a long absence there is another look: what came meanwhile may not have been read.
            let isPresent = absence < max(times.interval, Self.tolerance)
            let becomesLate = isPresent && !isLate && times.patience.map { $0..<times.limit ~= silence } ?? false
            state = .asked(number: number, at: start, isLate: isLate || becomesLate)
            if becomesLate { return .late(silence) }
            return isPresent && silence >= times.limit ? .giveUp(silence) : .none
        }
    }

    /// How long until the next look, when there was no answer for so long.
    private func wait(behind silence: Duration) -> Duration {
        let moments = [times.patience, times.limit].compactMap(\.self).filter { $0 > silence }
        return moments.reduce(times.interval) { min($0, $1 - silence) }
    }

    /// - Returns: Whether that is an answer that was told to be late.
    @discardableResult
    package mutating func receive(pong: UInt64, now: ContinuousClock.Instant) -> Bool {
        guard case .asked(let number, let asked, let isLate) = state else { return false }
        if pong == Pong.unasked { state = .asked(number: number, at: now, isLate: isLate) }
        guard number == pong else { return false }
        state = .quiet
        due = max(now, asked + times.interval)
        return isLate
    }
}
