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
        #expect(heartbeat.tick(now: start + .milliseconds(2499)) == .none)
        #expect(heartbeat.tick(now: start + .milliseconds(2500)) == .ping(2))
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
}
