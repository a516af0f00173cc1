import LatticeWire
import Testing

@testable import LatticeControl

/// What `latticectl tail` shows of the records that a coordinator describes.
struct LogTailTests {
    private func row(_ number: UInt64, _ fields: [String: DescriptionValue] = [:]) -> [String: DescriptionValue] {
        fields.merging(["number": .init(number)]) { $1 }
    }

    private func rows(_ numbers: ClosedRange<UInt64>) -> [[String: DescriptionValue]] { numbers.map { row($0) } }

    /// The numbers of records, and negative ones for missing records.
    private func numbers(_ items: [LogTail.Item]) -> [Int] {
        items.map { item in
            switch item {
            case .record(let record): Int(record.number)
            case .missing(let count): -Int(count)
            }
        }
    }

    /// Gives a page to a tail.
    ///
    /// - Parameter total: The number of records that the coordinator has for it, or nil for those of the page.
    private func receive(
        _ rows: [[String: DescriptionValue]],
        of total: Int? = nil,
        _ tail: inout LogTail
    ) -> (numbers: [Int], next: LogTail.Next) {
        let page = LogTail.Page(rows: rows, total: total ?? rows.count, receivedAt: 1000)
        let (items, next) = tail.receive(page)
        return (numbers(items), next)
    }

    @Test("The last earlier records are shown when all pages have been read, and later ones at once")
    func pages() {
        var tail = LogTail(LogFilter(), lines: 3)
        #expect(tail.last == 0)
        #expect(receive(rows(5...7), of: 5, &tail) == ([], .now))
        #expect(tail.last == 7 && !tail.isFollowing)
        #expect(receive(rows(8...9), &tail) == ([7, 8, 9], .later))
        #expect(tail.isFollowing)
        #expect(receive(rows(10...14), of: 6, &tail) == ([10, 11, 12, 13, 14], .now))
        #expect(receive([], &tail) == ([], .later))
        #expect(tail.last == 14)
    }

    @Test("Records that come while the earlier ones are read do not make the reading longer")
    func busy() {
        var tail = LogTail(LogFilter(), lines: 10)
        #expect(receive(rows(1...2), of: 3, &tail) == ([], .now))
        #expect(receive(rows(3...4), of: 1000, &tail) == ([1, 2, 3, 4], .now))
        #expect(tail.isFollowing)
    }

    @Test("A coordinator that says that there is more and sends nothing new is not asked at once")
    func noProgress() {
        var tail = LogTail(LogFilter(), lines: 10)
        #expect(receive(rows(1...2), of: 9, &tail) == ([], .now))
        #expect(receive(rows(1...2), of: 9, &tail) == ([1, 2], .later))
        #expect(receive(rows(1...2), of: 9, &tail) == ([], .later))
        var empty = LogTail(LogFilter(), lines: 10)
        #expect(receive([], of: 9, &empty) == ([], .later))
    }

    @Test("Records that were dropped while the tool followed are counted at their place")
    func missing() {
        var tail = LogTail(LogFilter(level: "error"), lines: 10)
        #expect(receive([row(100, ["level": "error"])], &tail).numbers == [100])
        let page = [row(104, ["level": "info"]), row(107, ["level": "error"]), row(108, ["level": "error"])]
        #expect(receive(page, &tail).numbers == [-5, 107, 108])
        #expect(receive([row(110, ["level": "info"])], &tail).numbers == [-1])
    }

    @Test("Gaps between earlier records are not missing, because the tool has not waited for them")
    func gaps() {
        var tail = LogTail(LogFilter(), lines: 3)
        #expect(receive([row(1), row(5)], of: 4, &tail).numbers == [])
        #expect(receive([row(9), row(20)], &tail).numbers == [5, 9, 20])
    }

    @Test("Without earlier records nothing is shown before the first new one", arguments: [0, 1])
    func noLines(lines: Int) {
        var tail = LogTail(LogFilter(), lines: lines)
        #expect(receive(rows(1...4), &tail).numbers == (lines == 0 ? [] : [4]))
        #expect(receive([row(6)], &tail).numbers == [-1, 6])
        var empty = LogTail(LogFilter(), lines: lines)
        #expect(receive([], &empty).numbers == [])
        #expect(receive([row(3)], &empty).numbers == [-2, 3])
    }

    @Test("Rows that are repeated, or have no usable number, are left out")
    func strange() {
        var tail = LogTail(LogFilter(), lines: 10)
        _ = receive(rows(1...2), &tail)
        let page: [[String: DescriptionValue]] = [[:], ["number": "3"], ["number": -3], row(2), row(3)]
        #expect(receive(page, &tail).numbers == [3])
    }

    @Test("A tail keeps at most a limited number of earlier records")
    func limit() {
        var tail = LogTail(LogFilter(), lines: .max)
        let count = UInt64(LogTail.maximumLines)
        #expect(receive(rows(1...count + 2), &tail).numbers.count == Int(count))
    }

    @Test("A record has the time at which its own page was received, less its age")
    func times() {
        var tail = LogTail(LogFilter(), lines: 10)
        let first = LogTail.Page(rows: [row(1, ["agoMilliseconds": 5])], total: 3, receivedAt: 100)
        let second = LogTail.Page(
            rows: [row(2, ["agoMilliseconds": 5]), row(3, ["agoMilliseconds": .init(Int.min)])],
            total: 2,
            receivedAt: 1000
        )
        _ = tail.receive(first)
        let records = tail.receive(second).items.map { item in
            if case .record(let record) = item { record.time } else { -1 }
        }
        #expect(records == [95, 995, 0])
    }

    static let record: [String: DescriptionValue] = [
        "number": 7, "level": "warning", "message": "It is slow.\u{1b}[2J", "worker": "uploads/a", "group": "uploads",
        "processID": 4711, "feature": "tally", "events": ["tally/1/1/7"], "label": "slow", "agoMilliseconds": 5,
        "metadata": ["event": "tally/1/1/7", "cause": "a client"], "details": ["line 1"],
    ]

    static let filters: [(filter: LogFilter, matches: Bool)] = [
        (LogFilter(), true),
        (LogFilter(level: "warning"), true), (LogFilter(level: "error"), false),
        (LogFilter(event: "tally/1/1/7"), true), (LogFilter(event: "tally/1/1"), false),
        (LogFilter(feature: "tally"), true), (LogFilter(feature: "todos"), false),
        (LogFilter(worker: "uploads/a"), true), (LogFilter(worker: "uploads"), true),
        (LogFilter(worker: "4711"), true), (LogFilter(worker: "471"), false),
        (LogFilter(level: "trace", event: "tally/1/1/7", feature: "tally", worker: "4711"), true),
        (LogFilter(level: "trace", event: "tally/1/1/7", feature: "todos", worker: "4711"), false),
    ]

    @Test("A filter lets records pass that match all of its criteria", arguments: filters)
    func filter(_ filter: LogFilter, matches: Bool) throws {
        #expect(filter.matches(try #require(LogRecord(Self.record, receivedAt: 1000))) == matches)
    }

    @Test("A record without a feature is about those of its events")
    func features() throws {
        let row: [String: DescriptionValue] = [
            "number": 1, "events": ["tally/1/1/7", "my%20list/1/1/7", "%4/1", "%", "%+f/1"],
        ]
        let record = try #require(LogRecord(row, receivedAt: 1000))
        for feature in ["tally", "my list", "%4", "%", "%+f"] { #expect(LogFilter(feature: feature).matches(record)) }
        #expect(!LogFilter(feature: "my%20list").matches(record))
    }

    @Test("A record without fields passes a level, and no other criterion")
    func unknown() throws {
        let record = try #require(LogRecord(["number": 1, "level": "novel"], receivedAt: 1000))
        #expect(LogFilter(level: "critical").matches(record))
        #expect(!LogFilter(worker: "x").matches(record) && !LogFilter(event: "x").matches(record))
    }

    @Test("A record is one line, and the lines that belong to it, without characters that act on a terminal")
    func text() throws {
        #expect(
            try #require(LogRecord(Self.record, receivedAt: 1000)).lines == [
                "warning  uploads/a[4711] slow: It is slow.\\u{1b}[2J cause=\"a client\" event=tally/1/1/7",
                "    line 1",
            ]
        )
        let own: [String: DescriptionValue] = [
            "number": 1, "level": "notice", "message": "It was reloaded.", "worker": nil, "events": ["a/1/1/2"],
        ]
        #expect(
            try #require(LogRecord(own, receivedAt: 1000)).lines == [
                "notice   coordinator: It was reloaded. event=a/1/1/2"
            ]
        )
        #expect(try #require(LogRecord(["number": 1], receivedAt: 1000)).lines == ["-        coordinator: "])
    }

    @Test("No value or key of the metadata acts on a terminal or looks like another one")
    func forgedMetadata() throws {
        let row: [String: DescriptionValue] = [
            "number": 1, "level": "info", "message": "m", "group": "uploads",
            "metadata": ["cause": "a \u{202e}b", "k": ["\u{1b}[2J": 1], "x=1 event": "y", "z": "a=b"],
        ]
        #expect(
            try #require(LogRecord(row, receivedAt: 1000)).lines == [
                #"info     group uploads: m cause="a \u{202e}b" k={"\u001b[2J":1} "x=1 event"=y z="a=b""#
            ]
        )
    }

    @Test("A record is one JSON object, with its time instead of its age")
    func json() throws {
        let record = try #require(LogRecord(["number": 1, "agoMilliseconds": 5, "message": "a"], receivedAt: 1000))
        #expect(
            record.json(at: "2026-11-28T22:14:51.123Z")
                == #"{"message":"a","number":1,"time":"2026-11-28T22:14:51.123Z"}"#
        )
        #expect(LogTail.json(missing: 3) == #"{"missing":3}"#)
    }
}
