import LatticeConcurrency
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// When the descriptions of a subscription are built.
struct SubscriptionPaceTests {
    private static let start = ContinuousClock.now

    private static func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func pace(_ interval: UInt32, rate: UInt32 = 10_000, queue: UInt32 = 1_000) -> SubscriptionPace {
        let request = DescribeMessage(
            request: 1,
            intervalMilliseconds: interval,
            bytesPerSecond: rate,
            queueBytes: queue
        )
        return SubscriptionPace(SubscriptionLimits(request), now: Self.start)
    }

    static let limits: [(asked: (UInt32?, UInt32?, UInt32?), used: (Int, Int, Int))] = [
        ((1000, nil, nil), (1000, 262_144, 65_536)), ((1, 1, 0), (100, 1_024, 0)),
        ((.max, .max, .max), (3_600_000, 16_777_216, 1_048_576)), ((250, 5000, 77), (250, 5000, 77)),
    ]

    @Test("Limits outside the bounds are replaced by the nearest ones", arguments: limits)
    func bounds(asked: (UInt32?, UInt32?, UInt32?), used: (Int, Int, Int)) {
        let limits = SubscriptionLimits(
            DescribeMessage(
                request: 1,
                intervalMilliseconds: asked.0,
                bytesPerSecond: asked.1,
                queueBytes: asked.2
            )
        )
        #expect(limits.interval == .milliseconds(used.0))
        #expect(limits.bytesPerSecond == used.1 && limits.queueBytes == used.2)
    }

    @Test("Within the budget there is a description after each interval, counted from its beginning")
    func regular() {
        var pace = pace(200)
        for number in 0..<10 {
            let time = number * 200
            #expect(pace.due(at: Self.at(time), unwritten: 1000) == .build(folded: 0))
            // While one is built, no other one is.
            #expect(pace.due(at: Self.at(time + 1), unwritten: 0) == nil)
            #expect(pace.sent(1900, at: Self.at(time + 20)) == .wait(until: Self.at(time + 200)))
            #expect(pace.sent(1900, at: Self.at(time + 21)) == nil)
        }
    }

    @Test("The first description stands for no interval before it, however late it is built")
    func late() {
        var pace = pace(200)
        #expect(pace.due(at: Self.at(5_000), unwritten: 0) == .build(folded: 0))
        #expect(pace.sent(1, at: Self.at(5_001)) == .wait(until: Self.at(5_200)))
        #expect(pace.due(at: Self.at(5_200), unwritten: 0) == .build(folded: 0))
    }

    @Test("Over the budget of bytes, descriptions are folded, and the mean stays within the budget")
    func bytes() {
        var pace = pace(200)
        // Half a second of the budget, and the next one comes after one second.
        #expect(pace.due(at: Self.at(0), unwritten: 0) == .build(folded: 0))
        #expect(pace.sent(5_000, at: Self.at(1)) == .wait(until: Self.at(1000)))
        #expect(pace.due(at: Self.at(1000), unwritten: 0) == .build(folded: 4))
        // Three seconds of the budget.
        #expect(pace.sent(30_000, at: Self.at(1001)) == .wait(until: Self.at(4000)))
        #expect(pace.due(at: Self.at(4000), unwritten: 0) == .build(folded: 14))
        #expect(pace.sent(100, at: Self.at(4001)) == .wait(until: Self.at(4200)))
        #expect(pace.due(at: Self.at(4200), unwritten: 0) == .build(folded: 0))
    }

    @Test("While the session has too many unwritten bytes, nothing is built, and it is looked at once a second")
    func queue() {
        var pace = pace(200)
        // The first description does not wait.
        #expect(pace.due(at: Self.at(0), unwritten: 5000) == .build(folded: 0))
        #expect(pace.sent(1, at: Self.at(1)) == .wait(until: Self.at(200)))
        #expect(pace.due(at: Self.at(200), unwritten: 1001) == .wait(until: Self.at(1200)))
        #expect(pace.due(at: Self.at(1200), unwritten: 5000) == .wait(until: Self.at(2200)))
        #expect(pace.due(at: Self.at(2200), unwritten: 1000) == .build(folded: 10))
    }

    @Test("A long interval does not delay the look at a session that had too many unwritten bytes")
    func slowInterval() {
        var pace = pace(60_000)
        #expect(pace.due(at: Self.at(0), unwritten: 0) == .build(folded: 0))
        #expect(pace.sent(1, at: Self.at(1)) == .wait(until: Self.at(60_000)))
        #expect(pace.due(at: Self.at(60_000), unwritten: 1001) == .wait(until: Self.at(61_000)))
        #expect(pace.due(at: Self.at(61_000), unwritten: 0) == .build(folded: 0))
    }

    @Test("Nothing is due after the end of a subscription, which comes once")
    func end() {
        var pace = pace(200)
        #expect(pace.due(at: Self.at(0), unwritten: 0) == .build(folded: 0))
        #expect(pace.end() && !pace.end())
        #expect(pace.sent(1, at: Self.at(1)) == nil && pace.due(at: Self.at(200), unwritten: 0) == nil)
    }

    static let slow: [(took: Int, next: Int, folded: UInt64)] = [
        (90, 200, 0), (160, 320, 0), (300, 600, 2), (5000, 6000, 29),
    ]

    @Test("A description that takes long is followed by a pause that is as long, and a second at most", arguments: slow)
    func pauses(took: Int, next: Int, folded: UInt64) {
        var pace = pace(200)
        #expect(pace.due(at: Self.at(0), unwritten: 0) == .build(folded: 0))
        #expect(pace.sent(1, at: Self.at(took)) == .wait(until: Self.at(next)))
        #expect(pace.due(at: Self.at(next), unwritten: 0) == .build(folded: folded))
    }

    @Test("A session has at most 8 subscriptions, and clients have 32 together, of which tools take none")
    func numbers() {
        typealias Subscriptions = DescriptionSubscriptions<String>
        #expect(Subscriptions.maximumPerSession == 8 && Subscriptions.maximumOfClients == 32)
        var all = Subscriptions()
        for session in 1...4 as ClosedRange<UInt64> {
            for number in 1...8 as ClosedRange<UInt64> {
                #expect(all.add("", as: number, of: session, isOfClient: true) == .added)
            }
            #expect(all.add("", as: 1, of: session, isOfClient: true) == .isKnown)
        }
        let ninth = all.add("", as: 9, of: 1, isOfClient: true)
        #expect(ninth == .tooMany("This session has 8 subscriptions, its maximum. End one of them."))
        let other = all.add("", as: 1, of: 5, isOfClient: true)
        #expect(other == .tooMany("Clients have 32 subscriptions, their maximum. Ask later, or connect as a tool."))
        #expect(all.add("tool", as: 1, of: 6, isOfClient: false) == .added)
        #expect(all.count == 33 && all[1, of: 6] == "tool")
        #expect(all.remove(1, of: 6) == "tool" && all.remove(1, of: 6) == nil)
        #expect(all.remove(3, of: 2) == "" && all.add("", as: 1, of: 5, isOfClient: true) == .added)
        #expect(all.numbers(of: 2) == [1, 2, 4, 5, 6, 7, 8] && all.numbers(of: 7).isEmpty)
    }
}
