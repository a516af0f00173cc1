import LatticeCore
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// Pages of a section: filters, ranks, limits and sizes.
struct DescribedListTests {
    private struct Subject {
        let name: String
        let size: Int?
    }

    private static let subjects = [
        Subject(name: "cherry", size: 3), Subject(name: "apple", size: nil), Subject(name: "banana", size: 7),
        Subject(name: "avocado", size: 3),
    ]

    private func list(_ subjects: [Subject] = DescribedListTests.subjects) -> DescribedList<Subject> {
        DescribedList(
            subjects: subjects,
            keys: ["name"],
            texts: { [$0.name] },
            ranks: ["name": .text { $0.name }, "size": .number { $0.size }],
            row: { ["name": .text($0.name), "size": DescriptionValue($0.size)] }
        )
    }

    /// A request, and the names and numbers of its page.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: DescribeMessage
        let names: [String]
        let total: UInt64
        var cut: DescriptionCut?
    }

    static let cases = [
        Case(
            testDescription: "all, in the order of the section",
            request: DescribeMessage(request: 1),
            names: ["cherry", "apple", "banana", "avocado"],
            total: 4
        ),
        Case(
            testDescription: "texts ascend",
            request: DescribeMessage(request: 1, sortKey: "name"),
            names: ["apple", "avocado", "banana", "cherry"],
            total: 4
        ),
        Case(
            testDescription: "numbers descend, equal ones keep their order, and those without one are last",
            request: DescribeMessage(request: 1, sortKey: "size"),
            names: ["banana", "cherry", "avocado", "apple"],
            total: 4
        ),
        Case(
            testDescription: "reversed",
            request: DescribeMessage(request: 1, sortKey: "size", reverse: 1),
            names: ["apple", "avocado", "cherry", "banana"],
            total: 4
        ),
        Case(
            testDescription: "filtered",
            request: DescribeMessage(request: 1, filter: "a", sortKey: "name", limit: 2),
            names: ["apple", "avocado"],
            total: 3,
            cut: .limit
        ),
        Case(
            testDescription: "the next page",
            request: DescribeMessage(request: 1, filter: "a", sortKey: "name", limit: 2, offset: 2),
            names: ["banana"],
            total: 3
        ),
        Case(
            testDescription: "no limit at all",
            request: DescribeMessage(request: 1, limit: .max, offset: .max),
            names: [],
            total: 4
        ),
        Case(
            testDescription: "no rows",
            request: DescribeMessage(request: 1, limit: 0),
            names: [],
            total: 4,
            cut: .limit
        ),
        Case(testDescription: "nothing found", request: DescribeMessage(request: 1, filter: "x"), names: [], total: 0),
    ]

    @Test("A page has the rows of its request", arguments: cases)
    func page(_ expected: Case) throws {
        let answer = list().answer(expected.request)
        #expect(answer.code == .described)
        let rows = try DescriptionValue.rows(decoding: answer.rows)
        #expect(rows.map { $0["name"]?.string } == expected.names)
        #expect(answer.total == expected.total)
        #expect(answer.shown == UInt64(expected.names.count))
        #expect(answer.cut == expected.cut)
    }

    @Test("A sort key that the section does not know is an error that names those that it knows")
    func unknownSortKey() {
        let answer = list().answer(DescribeMessage(request: 5, section: "fruits", sortKey: "colour"))
        #expect(answer.code == .unknownSortKey)
        #expect(answer.request == 5)
        #expect(
            answer.reason
                == "The section \"fruits\" cannot be sorted by \"colour\". Its sort keys are: name, size."
        )
        #expect(answer.rows.isEmpty)
    }

    @Test("An answer is cut before it becomes too large, and a row that is too large alone is an error")
    func size() throws {
        let subjects = (0..<100).map { Subject(name: String($0) + String(repeating: "x", count: 100), size: $0) }
        let limits = DescriptionLimits(bytes: 1000)
        let answer = list(subjects).answer(DescribeMessage(request: 1), limits)
        #expect(answer.cut == .size)
        #expect(answer.rows.count <= 1000)
        #expect(answer.shown == 8)
        #expect(try DescriptionValue.rows(decoding: answer.rows).count == 8)
        let tiny = list(subjects).answer(DescribeMessage(request: 1), DescriptionLimits(bytes: 50))
        #expect(tiny.code == .tooLarge)
        // Exactly as many bytes as there is room for.
        let one = list([Subject(name: "x", size: 1)])
        let bytes = one.answer(DescribeMessage(request: 1)).rows.count
        #expect(one.answer(DescribeMessage(request: 1), DescriptionLimits(bytes: bytes + 2)).shown == 1)
        #expect(one.answer(DescribeMessage(request: 1), DescriptionLimits(bytes: bytes + 1)).code == .tooLarge)
    }

    @Test("The first of many subjects come in the order of the section, and equal ones in that of the list")
    func firstOfMany() throws {
        var random = SeededGenerator(seed: 1)
        let subjects = (0..<2_000).map { place in
            (place: place, size: Int.random(in: 0..<300, using: &random))
        }
        let list = DescribedList(
            subjects: subjects,
            order: { $0.size < $1.size },
            keys: ["place"],
            texts: { _ in [] },
            ranks: [:],
            row: { ["place": .init($0.place)] }
        )
        let sorted = subjects.sorted { ($0.size, $0.place) < ($1.size, $1.place) }.map(\.place)
        for (offset, limit) in [(0, 1), (0, 10), (7, 100), (240, 10), (1_990, 100), (0, 0)] {
            let request = DescribeMessage(request: 1, limit: UInt32(limit), offset: UInt32(offset))
            let rows = try DescriptionValue.rows(decoding: list.answer(request).rows)
            #expect(rows.map { $0["place"]?.int } == Array(sorted[offset...].prefix(limit)))
        }
    }

    @Test("Of 100,000 subjects no more rows are made than are shown, and 1,000 at most")
    func many() throws {
        #expect(DescriptionLimits.maximumRows == 1_000)
        #expect(DescriptionLimits.typicalRows == 100)
        var made = 0
        let list = DescribedList(
            subjects: Array(0..<100_000),
            keys: ["number"],
            texts: { [String($0)] },
            ranks: ["number": .number { number in Int?.some(number) }],
            row: { number in
                made += 1
                return ["number": DescriptionValue(number)]
            }
        )
        let answer = list.answer(DescribeMessage(request: 1, sortKey: "number", limit: .max))
        #expect(answer.total == 100_000 && answer.shown == 1_000 && answer.cut == .limit)
        #expect(made == 1_000)
        let rows = try DescriptionValue.rows(decoding: answer.rows)
        #expect(rows.first?["number"]?.int == 99_999)
        #expect(list.answer(DescribeMessage(request: 1)).shown == 100)
    }
}

/// The last terminations of workers.
struct TerminationHistoryTests {
    private func termination(
        of group: String,
        _ incarnation: Int,
        lines: Int = 0
    ) -> RuntimeEvent.Termination {
        let member = RuntimeEvent.Member(group: group)
        return RuntimeEvent.Termination(
            worker: RuntimeEvent.Worker(member: member, incarnation: UInt64(incarnation), processID: 1),
            cause: .signal(9),
            verdict: .stop,
            report: CrashReport(
                group: group,
                incarnation: UInt64(incarnation),
                processID: 1,
                lifetime: .seconds(1),
                output: (0..<lines).map { "line \($0)" }
            )
        )
    }

    @Test("A worker that ends again and again pushes out its own terminations, and not those of others")
    func perWorker() {
        #expect(TerminationHistory.maximumPerWorker == 16)
        var history = TerminationHistory()
        history.add(termination(of: "a", 1), at: .now)
        for incarnation in 1...20 { history.add(termination(of: "b", incarnation), at: .now) }
        let kept = history.entries.map { ($0.termination.worker.member.group, $0.termination.worker.incarnation) }
        #expect(kept.map(\.0) == ["a"] + [String](repeating: "b", count: 16))
        #expect(kept.map(\.1) == [1] + Array(5...20))
    }

    @Test("Of too many terminations the oldest are dropped")
    func maximum() {
        #expect(TerminationHistory.maximum == 256)
        var history = TerminationHistory()
        for worker in 1...300 { history.add(termination(of: "\(worker)", 1), at: .now) }
        #expect(history.entries.count == 256)
        #expect(history.entries.first?.termination.worker.member.group == "45")
    }

    @Test("The last 8 lines of output are kept")
    func lines() {
        #expect(TerminationHistory.maximumLines == 8)
        var history = TerminationHistory()
        history.add(termination(of: "a", 1, lines: 32), at: .now)
        #expect(history.entries.first?.termination.report?.output == (24..<32).map { "line \($0)" })
    }
}

extension DescribedList {
    /// Returns the answer to a single request.
    func answer(_ request: DescribeMessage, _ limits: DescriptionLimits = DescriptionLimits()) -> DescriptionMessage {
        result(of: request, limits).message(request.request)
    }
}
