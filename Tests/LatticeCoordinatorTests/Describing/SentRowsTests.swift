import LatticeConcurrency
import LatticeCore
import LatticeWire
import Testing

@testable import LatticeControl
@testable import LatticeCoordinator

/// The rows that a subscription has sent, and the page that its tool makes of them.
struct SentRowsTests {
    private typealias Row = [String: DescriptionValue]

    private static let start = ContinuousClock.now

    private func page(_ rows: [Row], keys: [String] = ["name"], limit: UInt32 = 1000) throws -> DescribedPage {
        let list = DescribedList(
            subjects: rows,
            keys: keys,
            texts: { _ in [] },
            ranks: [:],
            row: { $0 }
        )
        guard case .page(let page) = list.result(of: DescribeMessage(request: 1, limit: limit)) else {
            throw TestFailure.noPage
        }
        return page
    }

    private enum TestFailure: Error { case noPage }

    /// Both ends of a subscription.
    private struct Ends {
        var sent = SentRows()
        var follower = DescriptionFollower("test", offset: 0)

        /// Returns the page of the tool, and the number of rows that were sent for it.
        mutating func pass(
            _ page: DescribedPage,
            after milliseconds: Int = 0,
            folded: UInt64 = 0
        ) throws -> (page: SectionDescription, sent: Int) {
            let time = SentRowsTests.start + .milliseconds(milliseconds)
            let message = sent.receive(page, at: time, request: 7, folded: folded)
            // Through its bytes.
            var frame: [UInt8] = []
            try message.appendFrame(to: &frame)
            #expect(message.request == 7 && message.code == .described)
            return (try follower.receive(message, at: time), Int(message.shown))
        }
    }

    @Test("Only rows that are new or have changed are sent")
    func changes() throws {
        var ends = Ends()
        let (a, b, c): (Row, Row, Row) = (["name": "a", "x": 1], ["name": "b", "x": 2], ["name": "c", "x": 3])
        let first = try ends.pass(page([a, b]))
        #expect(first.page.rows == [a, b] && first.sent == 2 && first.page.keys == ["name"])
        #expect(try ends.pass(page([a, b])).sent == 0)
        let other: Row = ["name": "b", "x": 20]
        let second = try ends.pass(page([c, other, a]), folded: 4)
        #expect(second.page.rows == [c, other, a] && second.sent == 2 && second.page.total == 3)
        #expect(second.page.folded == 4 && second.page.keys == ["name"])
        // Rows that are gone, and rows in another order, need no row.
        let third = try ends.pass(page([a, c]))
        #expect(third.page.rows == [a, c] && third.sent == 0 && third.page.folded == 0)
        let fourth = try ends.pass(page([a, c, b], limit: 1))
        #expect(fourth.page.rows == [a] && fourth.page.total == 3 && fourth.page.cut == .limit)
        #expect(try ends.pass(page([])).page.rows.isEmpty)
    }

    @Test("A row that has only become older is not sent, and the tool lets it grow older")
    func ages() throws {
        var ends = Ends()
        func row(_ age: Int) -> Row { ["name": "a", "sinceMilliseconds": .init(age)] }
        _ = try ends.pass(page([row(100)]))
        for second in 1...100 {
            // Not exactly, because the values are read one after the other.
            let found = try ends.pass(page([row(100 + second * 1000 + second % 7)]), after: second * 1000)
            #expect(found.sent == 0 && found.page.rows == [row(100 + second * 1000)])
        }
        // It has begun again.
        let again = try ends.pass(page([row(0)]), after: 101_000)
        #expect(again.sent == 1 && again.page.rows == [row(0)])
    }

    @Test("Rows of equal keys, and rows without keys, are described right too")
    func equalKeys() throws {
        for keys in [["name"], [], ["missing"]] {
            var ends = Ends()
            let pages: [[Row]] = [
                [["name": "a", "x": 1], ["name": "a", "x": 2]], [["name": "a", "x": 2], ["name": "a", "x": 1]],
                [["name": "a", "x": 2], ["name": "a", "x": 2]],
            ]
            for rows in pages { #expect(try ends.pass(page(rows, keys: keys)).page.rows == rows) }
        }
    }

    @Test("The page of the tool always equals the newest one, whatever changes", arguments: 0..<60)
    func model(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var ends = Ends()
        var (rows, last): ([Row], [Row]) = ([], [])
        for step in 0..<80 {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let place = rows.indices.randomElement(using: &random)
                switch (Int.random(in: 0..<5, using: &random), place) {
                case (0, _), (_, nil):
                    let name = DescriptionValue(Int.random(in: 0..<12, using: &random))
                    rows.insert(["name": name, "x": .init(step)], at: Int.random(in: 0...rows.count, using: &random))
                case (1, let place?): rows.remove(at: place)
                case (2, let place?): rows[place]["x"] = .init(Int.random(in: 0..<3, using: &random))
                case (3, let place?): rows[place]["y"] = [["deep": .init(step % 3)], nil, 0.5, "text"]
                default: rows.shuffle(using: &random)
                }
            }
            let limit = Bool.random(using: &random) ? 1000 : UInt32.random(in: 0...8, using: &random)
            let expected = Array(rows.prefix(Int(limit)))
            let found = try ends.pass(page(rows, limit: limit), after: step * 100)
            #expect(found.page.rows == expected && found.page.total == rows.count)
            // What both pages have is sent once.
            let known = expected.count { last.contains($0) }
            let areUnique =
                Set(expected.map { $0["name"] }).count == expected.count
                && Set(last.map { $0["name"] }).count == last.count
            if step > 0, areUnique { #expect(found.sent == expected.count - known) }
            last = expected
        }
    }

    @Test("A message that does not continue the one before is an error")
    func gap() throws {
        var (sent, follower) = (SentRows(), DescriptionFollower("test", offset: 0))
        let rows = try page([["name": "a"]])
        var messages: [DescriptionMessage] = []
        for _ in 0..<3 { messages.append(sent.receive(rows, at: Self.start, request: 1)) }
        _ = try follower.receive(messages[0], at: Self.start)
        var late = follower
        #expect(throws: ControlError.self) { try late.receive(messages[2], at: Self.start) }
        var twice = follower
        #expect(throws: ControlError.self) { try twice.receive(messages[0], at: Self.start) }
        messages[1].places = [0x82, 0x01, 0x01]
        #expect(throws: ControlError.self) { try follower.receive(messages[1], at: Self.start) }
    }
}
