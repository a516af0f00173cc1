import LatticeCore
import LatticeHosting
import LatticeTestSupport
import Testing

@testable import LatticeControl
@testable import LatticeCoordinator

/// Pages of the section "events", which looks only for the events that a page shows.
@Suite(.timeLimit(.minutes(10)))
struct DescribedEventsTests {
    /// A page of the section "events", and the places of its events among all of them by their age.
    struct Page: Sendable {
        var filter: String?
        var key: String?
        var reversed = false
        let limit: Int
        var offset = 0
        let places: [Int]
        var total = 30
    }

    static let pages = [
        Page(limit: 4, places: [0, 1, 2, 3]), Page(limit: 4, offset: 18, places: [18, 19, 20, 21]),
        Page(limit: 4, offset: 28, places: [28, 29]), Page(limit: 4, offset: 40, places: []),
        Page(limit: 0, places: []),
        Page(reversed: true, limit: 3, places: [29, 28, 27]),
        Page(reversed: true, limit: 3, offset: 9, places: [20, 19, 18]),
        Page(key: "feature", limit: 2, offset: 19, places: [19, 20]),
        Page(key: "feature", reversed: true, limit: 2, places: [29, 28]),
        Page(key: "actionBytes", limit: 2, places: [17, 0]),
        Page(key: "actionBytes", reversed: true, limit: 2, offset: 28, places: [0, 17]),
        Page(filter: "second", limit: 2, offset: 1, places: [21, 22], total: 10),
        Page(filter: "01", limit: 1, places: [0], total: 20), Page(filter: "nothing", limit: 1, places: [], total: 0),
    ]

    @Test("Of many events, a page has those that it asks for, and their total")
    func pagesOfEvents() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let gate = Gates.makeName()
            var arrived = 0
            for (identity, instance, count) in [(UInt8(1), "first", 20), (2, "second", 10)] {
                let (client, recorder) = (bench.makeClient(identity: identity), TestClient.Recorder())
                let channel = client.open(recorder, instance: instance)
                try await client.connect()
                try await recorder.record.until { $0.opened == 1 }
                for _ in 0..<count {
                    // One action is longer than the others.
                    _ = channel.send(.wait(arrived == 17 ? 1_000_000 : 1, gate: gate))
                    arrived += 1
                    try await Gates.untilArrived(gate, count: arrived)
                }
            }
            try await bench.withTool { tool in
                let all = try await tool.describe("events").rows.compactMap { $0["event"]?.string }
                try #require(all.count == 30)
                #expect(all.map { EventID($0)?.number } == Array(1...20) + Array(1...10))
                for page in Self.pages {
                    let described = try await tool.describe(
                        "events",
                        containing: page.filter,
                        sortedBy: page.key,
                        reversed: page.reversed,
                        limit: page.limit,
                        offset: page.offset
                    )
                    let events = described.rows.compactMap { $0["event"]?.string }
                    #expect(events == page.places.map { all[$0] } && described.total == page.total, "\(page)")
                    let isCut = page.offset + page.limit < page.total
                    #expect(described.cut == (isCut ? .limit : nil), "\(page)")
                }
            }
            Gates.open(gate)
        }
    }

    @Test("Of more than a thousand events, the oldest, the newest and the largest are found")
    func manyEvents() async throws {
        try await CoordinatorBench.with { bench in
            bench.startWorker()
            let (client, recorder) = (bench.makeClient(identity: 1), TestClient.Recorder())
            let channels = ["a", "b", "c"].map { client.open(recorder, instance: $0) }
            try await client.connect()
            try await recorder.record.until { $0.opened == 3 }
            let gate = Gates.makeName()
            let count = 1_500
            for place in 0..<count {
                _ = channels[place % 3].send(.wait(place == 700 ? 1_000_000 : 1, gate: gate))
            }
            try await Gates.untilArrived(gate, count: count)
            try await bench.withTool { tool in
                func places(sortedBy key: String?, reversed: Bool, offset: Int = 0) async throws -> [Int] {
                    let page = try await tool.describe(
                        "events",
                        sortedBy: key,
                        reversed: reversed,
                        limit: 4,
                        offset: offset
                    )
                    #expect(page.total == count)
                    return try page.rows.map { row in
                        let event = try #require(row["event"]?.string.flatMap { EventID($0) })
                        return (Int(event.number) - 1) * 3 + (["a": 0, "b": 1, "c": 2][event.instance] ?? count)
                    }
                }
                let oldest = try await places(sortedBy: nil, reversed: false)
                #expect(oldest == [0, 1, 2, 3])
                let newest = try await places(sortedBy: nil, reversed: true)
                #expect(newest == [1_499, 1_498, 1_497, 1_496])
                let later = try await places(sortedBy: nil, reversed: false, offset: 1_200)
                #expect(later == [1_200, 1_201, 1_202, 1_203])
                let ofLastFeature = try await places(sortedBy: "feature", reversed: true, offset: 300)
                #expect(ofLastFeature == [1_199, 1_198, 1_197, 1_196])
                let largest = try await places(sortedBy: "actionBytes", reversed: false)
                #expect(largest == [700, 0, 1, 2])
            }
            Gates.open(gate)
        }
    }
}
