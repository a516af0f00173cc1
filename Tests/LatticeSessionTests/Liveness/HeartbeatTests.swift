import LatticeSession
import Testing

struct HeartbeatTests {
    private let start = ContinuousClock.now

    private func heartbeat() -> Heartbeat {
        Heartbeat(interval: .seconds(1), limit: .seconds(3), now: start)
    }

    @Test func asksAfterEachInterval() {
        var heartbeat = heartbeat()
        #expect(heartbeat.tick(now: start + .milliseconds(999)) == .none)
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        #expect(heartbeat.tick(now: start + .seconds(1)) == .none)
        heartbeat.receive(pong: 1, now: start + .milliseconds(1500))
        #expect(heartbeat.tick(now: start + .milliseconds(1999)) == .none)
        #expect(heartbeat.tick(now: start + .seconds(2)) == .ping(2))
        // An answer that took longer than the interval is followed by the next question.
        heartbeat.receive(pong: 2, now: start + .milliseconds(3500))
        #expect(heartbeat.tick(now: start + .milliseconds(3500)) == .ping(3))
    }

    @Test func givesUpWhenNoAnswerComes() {
        var heartbeat = heartbeat()
        var found: Heartbeat.Action = .none
        var instant = start
        while case .none = found {
            instant += .milliseconds(250)
            let action = heartbeat.tick(now: instant)
            if action != .ping(1) { found = action }
        }
        #expect(found == .giveUp(.seconds(3)))
        #expect(instant == start + .seconds(4))
    }

    @Test(arguments: [0, 2, UInt64.max])
    func onlyTheAwaitedAnswerCounts(number: UInt64) {
        var heartbeat = heartbeat()
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        heartbeat.receive(pong: number, now: start + .seconds(1))
        #expect(heartbeat.tick(now: start + .seconds(2)) == .none)
        #expect(heartbeat.tick(now: start + .seconds(3)) == .none)
        #expect(heartbeat.tick(now: start + .seconds(4)) == .giveUp(.seconds(3)))
    }

    @Test func aLateAnswerToAnEarlierQuestionIsNoAnswer() {
        var heartbeat = heartbeat()
        heartbeat.receive(pong: 1, now: start)
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
    }

    @Test("F65: time in which nobody ticked does not count") func timeInWhichNobodyTickedDoesNotCount() {
        var heartbeat = heartbeat()
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        // This process slept for an hour; the answer may lie unread.
        let later = start + .seconds(3600)
        #expect(heartbeat.tick(now: later) == .none)
        #expect(heartbeat.tick(now: later + .seconds(1)) == .none)
        #expect(heartbeat.tick(now: later + .seconds(2)) == .giveUp(.seconds(3)))
    }

    /// Ticks at each moment at which there is something to do, with as many milliseconds' delay.
    @Test(
        "F78: whatever the settings, a silence is found within 50 ms of its limit",
        arguments: [(10, 10), (10, 3000), (100, 10_000), (249, 250), (250, 1000), (1000, 10_000), (3000, 3000)],
        [0, 1, 9]
    )
    func limitsHold(settings: (interval: Int, limit: Int), delay: Int) {
        let (interval, limit) = settings
        var heartbeat = Heartbeat(interval: .milliseconds(interval), limit: .milliseconds(limit), now: start)
        for _ in 0..<2000 {
            let now = heartbeat.due + .milliseconds(delay)
            guard case .giveUp(let silence) = heartbeat.tick(now: now) else { continue }
            let late = start.duration(to: now) - .milliseconds(interval + limit)
            #expect(late >= .zero && late <= .milliseconds(50))
            #expect(silence >= .milliseconds(limit))
            return
        }
        Issue.record("not found")
    }

    @Test("who was away for long looks once more before it gives the other side up")
    func aLateLookIsFollowedByAnother() {
        var heartbeat = heartbeat()
        for second in 1...3 { _ = heartbeat.tick(now: start + .seconds(second)) }
        // Due in a moment, and then this process is stopped.
        let later = start + .seconds(3600)
        #expect(heartbeat.tick(now: later) == .none)
        heartbeat.receive(pong: 1, now: later)
        #expect(heartbeat.tick(now: heartbeat.due) == .ping(2))
    }
}
