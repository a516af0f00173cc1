import LatticeConcurrency
import LatticeWire
import Testing

@testable import LatticeCalls

@Suite struct CallAgeTests {
    private static let start = ContinuousClock.now

    /// The oldest call without an answer and the last call that was sent, at each second, and how old the oldest is.
    struct Course: Sendable {
        var looks: [(oldest: UInt64?, last: UInt64)]
        var ages: [Int]
    }

    @Test(
        "The age of the oldest call counts from the first look that found it sent",
        arguments: [
            Course(looks: [(nil, 0), (nil, 5), (nil, 9)], ages: [0, 0, 0]),
            Course(looks: [(1, 1), (1, 1), (1, 7), (1, 9)], ages: [0, 1, 2, 3]),
            // Calls come and go.
            Course(looks: [(1, 3), (4, 6), (7, 7), (8, 20)], ages: [0, 0, 0, 0]),
            // One of many stays.
            Course(
                looks: [(1, 3), (3, 9), (3, 20), (3, 30), (25, 40), (25, 50), (nil, 60)],
                ages: [0, 1, 2, 3, 1, 2, 0]
            ),
        ]
    )
    func ages(_ course: Course) {
        var age = CallAge()
        let ages = course.looks.enumerated().map { second, calls in
            age.look(oldest: calls.oldest, last: calls.last, at: Self.start + .seconds(second))
        }
        #expect(ages == course.ages.map { .seconds($0) })
    }

    @Test("A node's own calls and streams that have begun do not count as unanswered")
    func whatCounts() throws {
        var table = CallTable<String, String>(own: NodeID(1))
        let worker = table.open(to: NodeID(2), isUplink: false)
        func age(_ second: Int) -> Duration { table.oldestAge(on: worker, at: Self.start + .seconds(second)) }
        #expect(age(0) == .zero)
        _ = try table.send("watch", to: NodeID(2), .node)
        _ = try table.send("name", to: NodeID(2), .unlimited)
        #expect(age(1) == .zero && age(2) == .zero)
        _ = try table.send("stream", to: NodeID(2))
        #expect(age(3) == .zero)
        _ = try table.send("call", to: NodeID(2))
        #expect(age(4) == .seconds(1))
        _ = try table.receive(elements: 3, bytes: 0, on: worker)
        #expect(age(6) == .seconds(2))
        _ = try table.receive(reply: 4, on: worker)
        #expect(age(7) == .zero)
    }

    @Test("A call that is never answered is remembered with few looks, however often it is looked at")
    func manyLooks() {
        var age = CallAge()
        for second in 0..<10_000 {
            let found = age.look(oldest: 1, last: UInt64(second + 1), at: Self.start + .seconds(second))
            #expect(found == .seconds(second) && age.looks.count <= CallAge.maximumLooks)
        }
        // A later call was sent at some time between two looks that are remembered.
        let later = age.look(oldest: 5_000, last: 10_001, at: Self.start + .seconds(10_000))
        #expect(later <= .seconds(5_001) && later > .seconds(4_000))
    }

    @Test("A call counts as overdue from the moment when its caller gives up until its answer")
    func tracker() {
        let tracker = CallTracker()
        let ends = Locked(0)
        let call = PendingCall(tracker: tracker)
        #expect(!tracker.hasOverdueCalls)
        call.cancel()
        call.cancel()
        let isFirst = call.giveUp(.deadlinePassed(mayHaveBegun: true))
        #expect(isFirst && tracker.hasOverdueCalls)
        let isFree = tracker.whenNoneRuns { ends.withLock { $0 += 1 } }
        #expect(!isFree && ends.withLock(\.self) == 0)
        let isStillWaitedFor = call.complete(.returned(nil))
        #expect(!isStillWaitedFor && !tracker.hasOverdueCalls && ends.withLock(\.self) == 1)
        // A call that is answered in time does not count.
        let other = PendingCall(tracker: tracker)
        other.complete(.returned(nil))
        other.cancel()
        #expect(tracker.whenNoneRuns {})
    }
}
