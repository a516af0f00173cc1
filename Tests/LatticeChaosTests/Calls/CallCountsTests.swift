import LatticeActors
import LatticeFaults
import Testing

@testable import LatticeChaos

/// What nodes have under way, and answers that come too late or twice.
@Suite struct CallCountsTests {
    @Test("A node that has calls under way when nobody calls is told of; an answer too many too")
    func counts() {
        #expect(CallCounts(title: "client 1").violations.isEmpty)
        #expect(CallCounts(title: "client 1", lateReplies: 3, maximumLateReplies: 3).violations.isEmpty)
        #expect(
            CallCounts(title: "client 1", sent: 2, taken: 1, lateReplies: 4, maximumLateReplies: 3).violations == [
                "client 1 waits for the answers to 2 calls, and nobody calls anything",
                "client 1 has 1 calls to answer, and nobody calls anything",
                "client 1 was given 4 answers too late or twice, and 3 calls were given up",
            ]
        )
    }

    private static let plan = CallPlan(seed: 7, CallExtent(calls: 40, faults: 6, kinds: [.kill]))

    /// Of all callers but the last, by what becomes of each call.
    private func records(_ end: (ChaosCall) -> CallRecord.End) -> [[CallRecord]] {
        Self.plan.parts.dropLast().map { part in
            (part.lanes + [part.lastLane]).flatMap(\.calls).map { CallRecord(call: $0, end: end($0)) }
        }
    }

    @Test("Where all was answered no answer is late, and one that came twice is told of at its node")
    func doubledReply() {
        let late = LateReplies(Self.plan, records { _ in .returned(isRight: true) })
        #expect(late.counts(now: [0, 0, 0], before: [0, 0, 0]).flatMap(\.violations).isEmpty)
        #expect(
            late.counts(now: [0, 1, 0], before: [0, 1, 0]).flatMap(\.violations) == [
                "client 1 was given 1 answers too late or twice, and 0 calls were given up"
            ]
        )
    }

    @Test("As many answers may be late as calls were given up, and at the end none")
    func givenUp() {
        let late = LateReplies(
            Self.plan,
            records { $0.method == .answer ? .returned(isRight: true) : .lacksAnswer(.deadlinePassed, .mayHaveBegun) }
        )
        let most = late.counts(now: [0, 0, 0], before: [0, 0, 0]).map(\.maximumLateReplies)
        // Of each node in all, and at the end.
        #expect(most[1] == 0 && most[3] == 0 && most[5] == 0)
        #expect(most[2] > 0 && most[4] > 0)
        // Through the coordinator goes all of it, with what was killed.
        #expect(most[0] >= most[2] + most[4] + Self.plan.parts[3].calls)
        #expect(
            late.counts(now: [0, 1, 0], before: [0, 0, 0]).flatMap(\.violations) == [
                "client 1, at the end, was given 1 answers too late or twice, and 0 calls were given up"
            ]
        )
    }

    @Test("What is not sent has no answer")
    func notSent() {
        let late = LateReplies(Self.plan, records { _ in .lacksAnswer(.lost, .notSent) })
        #expect(late.counts(now: [0, 1, 0], before: [0, 1, 0]).flatMap(\.violations).count == 1)
    }
}
