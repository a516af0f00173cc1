import LatticeSession
import LatticeWire
import Testing

struct HeartbeatTests {
    private let start = ContinuousClock.now

    private func heartbeat() -> Heartbeat {
        Heartbeat(Liveness(interval: .seconds(1), timeout: .seconds(3)), now: start)
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

    @Test(arguments: [2, UInt64.max])
    func onlyTheAwaitedAnswerCounts(number: UInt64) {
        var heartbeat = heartbeat()
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        heartbeat.receive(pong: number, now: start + .seconds(1))
        #expect(heartbeat.tick(now: start + .seconds(2)) == .none)
        #expect(heartbeat.tick(now: start + .seconds(3)) == .none)
        #expect(heartbeat.tick(now: start + .seconds(4)) == .giveUp(.seconds(3)))
    }

    /// After a ping, which is a second after the start: what comes when, in milliseconds, and when the other side is
    /// given up.
    @Test(
        "An unsolicited pong restarts the wait, and is no answer",
        arguments: [
            ([], 4000), ([1], 4001), ([2500], 6500), ([500, 1000, 1500, 2000, 2500, 2999], 6999), ([2999, 5998], 9998),
        ]
    )
    func unaskedPongs(moments: [Int], end: Int) {
        var heartbeat = heartbeat()
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        var moments = moments[...]
        while true {
            if let moment = moments.first, start + .milliseconds(1000 + moment) <= heartbeat.due {
                heartbeat.receive(pong: Pong.unasked, now: start + .milliseconds(1000 + moment))
                moments.removeFirst()
                continue
            }
            let now = heartbeat.due
            let action = heartbeat.tick(now: now)
            if action == .none { continue }
            #expect(action == .giveUp(.seconds(3)))
            #expect(now == start + .milliseconds(end))
            break
        }
    }

    @Test("An unsolicited pong does not replace the next ping, and the answer still counts")
    func unaskedPongsAskNothing() {
        var heartbeat = heartbeat()
        heartbeat.receive(pong: Pong.unasked, now: start + .milliseconds(900))
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        heartbeat.receive(pong: Pong.unasked, now: start + .milliseconds(3500))
        heartbeat.receive(pong: 1, now: start + .milliseconds(3600))
        #expect(heartbeat.tick(now: start + .milliseconds(4499)) == .none)
        #expect(heartbeat.tick(now: start + .milliseconds(4500)) == .ping(2))
    }

    @Test("An unsolicited pong that is read late does not extend the wait again")
    func unaskedPongsThatAreReadLate() {
        var heartbeat = heartbeat()
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        // This process was busy for a minute, and reads what came before it looks at the time.
        let later = start + .seconds(61)
        heartbeat.receive(pong: Pong.unasked, now: later)
        var now = later
        while case .none = heartbeat.tick(now: now) { now = heartbeat.due }
        #expect(now == later + .seconds(3))
    }

    @Test func aLateAnswerToAnEarlierQuestionIsNoAnswer() {
        var heartbeat = heartbeat()
        heartbeat.receive(pong: 1, now: start)
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
    }

    @Test("Time without ticks does not count (F65)") func timeInWhichNobodyTickedDoesNotCount() {
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
        "A silence is found within 50 ms of its limit, whatever the settings (F78)",
        arguments: [(10, 10), (10, 3000), (100, 10_000), (249, 250), (250, 1000), (1000, 10_000), (3000, 3000)],
        [0, 1, 9]
    )
    func limitsHold(settings: (interval: Int, limit: Int), delay: Int) {
        let (interval, limit) = settings
        var heartbeat = Heartbeat(
            Liveness(interval: .milliseconds(interval), timeout: .milliseconds(limit)),
            now: start
        )
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

    @Test("After a long pause, the heartbeat looks once more before it gives the peer up")
    func aLateLookIsFollowedByAnother() {
        var heartbeat = heartbeat()
        for second in 1...3 { _ = heartbeat.tick(now: start + .seconds(second)) }
        // Due in a moment, and then this process is stopped.
        let later = start + .seconds(3600)
        #expect(heartbeat.tick(now: later) == .none)
        heartbeat.receive(pong: 1, now: later)
        #expect(heartbeat.tick(now: heartbeat.due) == .ping(2))
    }

    /// After a ping, which is a second after the start: what comes when, in milliseconds.
    @Test(
        "A late answer is reported once, and a peer that does not answer is given up repeatedly",
        arguments: [
            (400, ["late 1400", "giveUp 4000", "giveUp 5000", "giveUp 6000"]),
            (1000, ["late 2000", "giveUp 4000", "giveUp 5000", "giveUp 6000"]),
            (1900, ["late 2900", "giveUp 4000", "giveUp 5000", "giveUp 6000"]),
            // No shorter than the limit: there is nothing to say before that.
            (3000, ["giveUp 4000", "giveUp 5000", "giveUp 6000"]),
        ]
    )
    func lateAnswers(patience: Int, reported: [String]) {
        let times = Liveness(interval: .seconds(1), timeout: .seconds(3), patience: .milliseconds(patience))
        var heartbeat = Heartbeat(times, now: start)
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        var found: [String] = []
        while heartbeat.due <= start + .seconds(6) {
            let now = heartbeat.due
            let moment = start.duration(to: now).milliseconds
            switch heartbeat.tick(now: now) {
            case .late: found.append("late \(moment)")
            case .giveUp: found.append("giveUp \(moment)")
            case .ping(let number): found.append("ping \(number)")
            case .none: break
            }
        }
        #expect(found == reported)
    }

    @Test("An answer shows whether it was reported as late, and the next one starts again")
    func anAnswerBehindAllPatience() {
        let times = Liveness(interval: .seconds(1), timeout: .seconds(3), patience: .milliseconds(500))
        var heartbeat = Heartbeat(times, now: start)
        for second in 1...2 {
            let asked = start + .seconds(second)
            #expect(heartbeat.tick(now: asked) == .ping(UInt64(second)))
            let isLate = second == 2
            if isLate { #expect(heartbeat.tick(now: asked + .milliseconds(500)) == .late(.milliseconds(500))) }
            let isReported = heartbeat.receive(pong: UInt64(second), now: asked + .milliseconds(600))
            #expect(isReported == isLate)
        }
        #expect(heartbeat.tick(now: start + .seconds(3)) == .ping(3))
    }

    @Test("After a long pause, no answer is reported as late, because it may be unread")
    func absenceIsNoLateness() {
        let times = Liveness(interval: .seconds(1), timeout: .seconds(100), patience: .milliseconds(500))
        var heartbeat = Heartbeat(times, now: start)
        #expect(heartbeat.tick(now: start + .seconds(1)) == .ping(1))
        let later = start + .seconds(60)
        #expect(heartbeat.tick(now: later) == .none)
        let isReported = heartbeat.receive(pong: 1, now: later)
        #expect(!isReported)
    }
}
