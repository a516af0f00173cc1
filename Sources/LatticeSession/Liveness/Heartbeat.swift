import LatticeWire

/// Decides when to ping the other side and when to give it up. It does no I/O, and receives the time as an argument, so
/// that tests can pass any instant.
///
/// - Only a pong counts as an answer, because the thread that handles events sends it. Other messages may come from
///   other threads.
/// - An unsolicited pong is not an answer, but it restarts the wait for one. It means that the thread is busy with a
///   large value and has not read the ping yet.
/// - If a tick comes much later than `due`, the delay does not count. This process was stopped, asleep or busy itself,
///   and the answer may be unread.
///
/// The states are:
/// - `quiet`: no ping is unanswered.
/// - `asked`: a ping was sent at an instant. `isLate` is true after the answer has been reported as late.
package struct Heartbeat: Sendable, Equatable {
    /// What the owner must do after a tick.
    package enum Action: Sendable, Equatable {
        /// Nothing.
        case none
        /// Send a ping with this number.
        case ping(UInt64)
        /// Notify the owner of the session that there has been no answer for this long. It is returned once for each
        /// ping.
        case late(Duration)
        /// Give up the other side, because there has been no answer for this long. It is returned again after each
        /// interval if the owner keeps the session.
        case giveUp(Duration)
    }

    private enum State: Sendable, Equatable {
        case quiet
        case asked(number: UInt64, at: ContinuousClock.Instant, isLate: Bool)
    }

    /// The delay up to which a tick counts as being on time.
    private static let tolerance: Duration = .milliseconds(25)

    /// The times that the heartbeat uses.
    package let liveness: Liveness
    /// The instant at which the next tick has something to do.
    package private(set) var due: ContinuousClock.Instant
    private var state: State
    private var number: UInt64 = 0

    /// Creates a heartbeat whose first ping is due one interval after `now`.
    package init(_ liveness: Liveness, now: ContinuousClock.Instant) {
        self.liveness = liveness
        state = .quiet
        due = now + liveness.interval
    }

    /// Returns what to do at this instant, and sets ``due``.
    package mutating func tick(now: ContinuousClock.Instant) -> Action {
        switch state {
        case .quiet:
            guard now >= due else { return .none }
            number += 1
            state = .asked(number: number, at: now, isLate: false)
            due = now + wait(after: .zero)
            return .ping(number)
        case .asked(let number, let asked, let isLate):
            let absence = due.duration(to: now)
            let start = absence > Self.tolerance ? min(asked + absence, now) : asked
            let silence = start.duration(to: now)
            due = now + wait(after: silence)
            // After a long delay the decision waits for the next tick, because messages that came meanwhile may not
            // have been read.
            let isPresent = absence < max(liveness.interval, Self.tolerance)
            let becomesLate =
                isPresent && !isLate && liveness.patience.map { $0..<liveness.timeout ~= silence } ?? false
            state = .asked(number: number, at: start, isLate: isLate || becomesLate)
            if becomesLate { return .late(silence) }
            return isPresent && silence >= liveness.timeout ? .giveUp(silence) : .none
        }
    }

    /// Returns the time until the next check, given how long there has been no answer.
    private func wait(after silence: Duration) -> Duration {
        let moments = [liveness.patience, liveness.timeout].compactMap(\.self).filter { $0 > silence }
        return moments.reduce(liveness.interval) { min($0, $1 - silence) }
    }

    /// Receives a pong.
    ///
    /// - Returns: Whether the pong answers a ping whose answer was reported as late.
    @discardableResult
    package mutating func receive(pong: UInt64, now: ContinuousClock.Instant) -> Bool {
        guard case .asked(let number, let asked, let isLate) = state else { return false }
        if pong == Pong.unasked { state = .asked(number: number, at: now, isLate: isLate) }
        guard number == pong else { return false }
        state = .quiet
        due = max(now, asked + liveness.interval)
        return isLate
    }
}
