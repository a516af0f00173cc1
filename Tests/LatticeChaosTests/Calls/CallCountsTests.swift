import LatticeActors
import LatticeFaults
import Testing

@testable import LatticeChaos

/// Tests the counts of running calls, and of late and doubled answers.
@Suite struct CallCountsTests {
    @Test("A node with calls in flight when no caller is left is reported, and so is an answer too many")
    func counts() {
        #expect(CallCounts(title: "client 1").violations.isEmpty)
        #expect(CallCounts(title: "client 1", lateReplies: 3, maximumLateReplies: 3).violations.isEmpty)
        #expect(
            CallCounts(title: "client 1", sent: 2, taken: 1, lateReplies: 4, maximumLateReplies: 3).violations == [
                "client 1 waits for the answers to 2 calls, although no calls are made",
                "client 1 has 1 call to answer, although no calls are made",
                "client 1 got 4 answers too late or twice, but the number of abandoned calls is 3",
            ]
        )
    }

    private static let plan = CallPlan(seed: 7, CallExtent(calls: 40, faults: 6, kinds: [.kill]))

    /// Returns the records of all callers except the last, with the given end of each call.
    private func records(_ end: (ChaosCall) -> CallRecord.End) -> [[CallRecord]] {
        Self.plan.parts.dropLast().map { part in
            (part.lanes + [part.lastLane]).flatMap(\.calls).map { CallRecord(call: $0, end: end($0)) }
        }
    }

    @Test("If all calls were answered, no answer is late, and a second answer is reported at its node")
    func doubledReply() {
        let late = LateReplies(Self.plan, records { _ in .returned(isRight: true) })
        #expect(late.counts(now: [0, 0, 0], before: [0, 0, 0]).flatMap(\.violations).isEmpty)
        #expect(
            late.counts(now: [0, 1, 0], before: [0, 1, 0]).flatMap(\.violations) == [
                "client 1 got 1 answer too late or twice, but the number of abandoned calls is 0"
            ]
        )
    }

    @Test("At most as many answers may be late as calls were given up, and none at the end")
    func givenUp() {
        let late = LateReplies(
            Self.plan,
            records { $0.method == .answer ? .returned(isRight: true) : .lacksAnswer(.deadlinePassed, .mayHaveBegun) }
        )
        let most = late.counts(now: [0, 0, 0], before: [0, 0, 0]).map(\.maximumLateReplies)
        // The maxima are listed for each node over the whole round and at its end.
        #expect(most[1] == 0 && most[3] == 0 && most[5] == 0)
        #expect(most[2] > 0 && most[4] > 0)
        // Through the coordinator goes all of it, with what was killed.
        #expect(most[0] >= most[2] + most[4] + Self.plan.parts[3].calls)
        #expect(
            late.counts(now: [0, 1, 0], before: [0, 0, 0]).flatMap(\.violations) == [
                "client 1, at the end, got 1 answer too late or twice, but the number of abandoned calls is 0"
            ]
        )
    }

    @Test("A call that was not sent may have no late answer")
    func notSent() {
        let late = LateReplies(Self.plan, records { _ in .lacksAnswer(.lost, .notSent) })
        #expect(late.counts(now: [0, 1, 0], before: [0, 1, 0]).flatMap(\.violations).count == 1)
    }
}
