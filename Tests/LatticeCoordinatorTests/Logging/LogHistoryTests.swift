import LatticeCore
import LatticeWire
import Logging
import Testing

@testable import LatticeCoordinator

extension LogHistory {
    fileprivate mutating func add(_ event: RuntimeEvent, at time: ContinuousClock.Instant) {
        add(Content(event), at: time)
    }

    fileprivate func records(after number: UInt64 = 0) -> [Record] {
        unsorted(after: number).sorted { $0.number < $1.number }
    }
}

/// The records of the log that a coordinator keeps for tools.
struct LogHistoryTests {
    private static let member = RuntimeEvent.Member(group: "uploads", instance: nil, name: nil)
    private static let worker = RuntimeEvent.Worker(member: member, incarnation: 2, processID: 4711)
    private static let event = EventID("tally/00000000000000000000000000000001/1/7")

    private static func output(
        _ text: String,
        _ level: RuntimeEvent.Level = .notice,
        _ entry: RuntimeEvent.OutputLine.Entry? = nil
    ) -> RuntimeEvent {
        .workerOutput(worker, RuntimeEvent.OutputLine(level: level, text: text, entry: entry))
    }

    @Test("Records have ascending numbers, and a request continues after a number")
    func numbers() {
        var history = LogHistory()
        for text in ["a", "b"] { history.add(Self.output(text), at: .now) }
        history.add(.workerProbed(Self.member), at: .now)
        history.add(Self.output("c"), at: .now)
        #expect(history.records().map(\.number) == [1, 2, 3, 4])
        #expect(history.records(after: 2).map(\.event.kind) == [.workerProbed, .workerOutput])
        #expect(history.records(after: 4).isEmpty)
        #expect(history.records(after: .max).isEmpty)
    }

    @Test("A worker that floods the log displaces lines, and not the records about its end")
    func flood() {
        var history = LogHistory()
        history.add(.workerProbed(Self.member), at: .now)
        for number in 0..<LogHistory.maximumOutput + 3 { history.add(Self.output("\(number)"), at: .now) }
        let records = history.records()
        #expect(records.count == LogHistory.maximumOutput + 1)
        // Number 1 is the record, and the lines 0, 1 and 2 had the numbers 2, 3 and 4.
        #expect(records.prefix(2).map(\.number) == [1, 5])
    }

    /// Records of which there can be many.
    static let frequent: [RuntimeEvent] = [
        .workerCrashReported(worker, title: "Program crashed", report: String(repeating: "y", count: 64 * 1024)),
        output("x"),
        .workerOutputDropped(worker, lines: 3, linesPerSecond: 4096),
        .workerOutputFailed(worker, reason: "It is closed."),
        .viewStateWithheld(RuntimeEvent.Instance(feature: "tally", key: ""), reason: "It is too large."),
        .workerProbed(member),
    ]

    @Test("No number of other records displaces the end of a worker", arguments: frequent)
    func ends(_ event: RuntimeEvent) {
        var history = LogHistory()
        history.add(.workerTerminated(Self.end()), at: .now)
        for _ in 0..<LogHistory.maximumOutput + 1 { history.add(event, at: .now) }
        #expect(history.records().first?.number == 1)
        for _ in 0..<LogHistory.maximumEnds { history.add(.workerTerminated(Self.end()), at: .now) }
        #expect(history.records().first?.number != 1)
    }

    private static func end(
        output: [String] = ["Fatal error: x"],
        events: [EventID] = [],
        effects: [String] = []
    ) -> RuntimeEvent.Termination {
        let report = CrashReport(
            group: "uploads",
            incarnation: 2,
            processID: 4711,
            lifetime: .seconds(1),
            output: output,
            turn: nil,
            events: events,
            effects: effects
        )
        return RuntimeEvent.Termination(
            worker: worker,
            cause: .signal(6),
            verdict: .giveUp(HostFailure(reason: "It crashed.")),
            report: report
        )
    }

    @Test("A record that fits into no answer is not kept, displaces no other, and leaves a gap in the numbers")
    func tooLarge() {
        var history = LogHistory()
        for size in [1, 2 << 20, LogHistory.maximumSizeOfRecord, 1] {
            history.add(.settingsRefused(reason: String(repeating: "x", count: size)), at: .now)
        }
        #expect(history.records().map(\.number) == [1, 4])
    }

    @Test("Long lines are limited by their size together, whatever part is long, and so are crash reports")
    func sizes() {
        var history = LogHistory()
        let line = String(repeating: "x", count: 16 * 1024)
        let report = String(repeating: "y", count: 64 * 1024)
        for _ in 0..<200 {
            history.add(Self.output(line), at: .now)
            history.add(.workerCrashReported(Self.worker, title: "Program crashed", report: report), at: .now)
        }
        let kinds = history.records().map(\.event.kind)
        #expect(kinds.count { $0 == .workerOutput } == LogHistory.maximumOutputBytes / (16 * 1024 + 64))
        #expect(kinds.count { $0 == .workerCrashReported } == 15)
        for (label, source) in [(line, "s"), ("l", line)] {
            var history = LogHistory()
            let entry = RuntimeEvent.OutputLine.Entry(label: label, source: source)
            for _ in 0..<200 { history.add(Self.output("x", .warning, entry), at: .now) }
            #expect(history.records().count == LogHistory.maximumOutputBytes / (16 * 1024 + 1 + 1 + 64))
        }
    }

    /// Records with a text of 16 KiB.
    static let long: [RuntimeEvent] = {
        let text = String(repeating: "x", count: 16 * 1024)
        let operation = RuntimeEvent.Operation(
            act: "restart",
            arguments: text,
            processID: nil,
            userID: nil,
            program: nil
        )
        let act = RuntimeEvent.Operation(
            act: "restart",
            arguments: "",
            processID: nil,
            userID: nil,
            program: "\(text)/x"
        )
        let client = RuntimeEvent.Client(sender: "", processID: nil, userID: nil, program: "\(text)/x")
        return [
            .operationBegan(act), .operationEnded(act, result: "", isDone: true),
            .sessionEnded(.client(client), problem: nil),
            .settingsRefused(reason: text), .workerProblem(worker, problem: text), .operationBegan(operation),
            .operationEnded(operation, result: "", isDone: true),
            .workerGivenUp(member, HostFailure(reason: "", history: [text]), isExpected: false),
            .standbyEnded(member, cause: .hang, reason: text, delay: .zero),
            .workerTerminated(end(output: [text])), .workerTerminated(end(effects: [text])),
        ]
    }()

    @Test("Records with long texts are limited by their size together, whatever part is long", arguments: long)
    func longTexts(_ event: RuntimeEvent) {
        var history = LogHistory()
        for _ in 0..<200 { history.add(event, at: .now) }
        // All rooms have the same size.
        #expect(50...(LogHistory.maximumRecordBytes / (16 * 1024)) ~= history.records().count)
    }

    @Test("A recovery is kept without what only the feature needs, and its sentence is the same")
    func recovery() {
        let interruption = Interruption(
            cause: .signal(6),
            incarnation: 2,
            effects: [InterruptedEffect(name: "upload", deaths: 1)],
            report: Self.end().report
        )
        #expect(interruption.report != nil)
        let event = RuntimeEvent.instanceRecovered(RuntimeEvent.Instance(feature: "tally", key: ""), interruption)
        var history = LogHistory()
        history.add(event, at: .now)
        let kept = history.records().first?.event
        guard case .instanceRecovered(_, let short)? = kept else {
            Issue.record("It is \(String(describing: kept)).")
            return
        }
        #expect(short.report == nil && short.effects.isEmpty)
        #expect(kept?.description == event.description)
    }

    @Test("Other records are limited by their number")
    func others() {
        var history = LogHistory()
        for _ in 0..<LogHistory.maximumRecords + 1 { history.add(.workerProbed(Self.member), at: .now) }
        #expect(history.records().count == LogHistory.maximumRecords)
        #expect(history.records().first?.number == 2)
    }

    @Test("Output below the level of the log is not kept, and what the runtime logs is kept at any level")
    func levels() {
        let keeper = LogKeeper()
        let events = RuntimeEvents([
            RuntimeObserver(of: .output) { _ in }, keeper.observer(outputFrom: { .warning }),
        ])
        events.emit(.workerOutput, Self.output("info", .info))
        events.emit(.workerOutput, Self.output("warning", .warning))
        events.emit(.workerServing, .workerServing(Self.worker, build: "1"))
        // An expected end is not logged.
        events.emit(
            .workerGivenUp,
            .workerGivenUp(Self.member, HostFailure(reason: "It was stopped."), isExpected: true)
        )
        #expect(keeper.records(after: 0).map(\.event.description).first == "warning")
        #expect(keeper.records(after: 0).map(\.event.kind) == [.workerOutput, .workerServing])
    }

    @Test("The level of the log decides which output is kept, also after it was reloaded")
    func reloadedLevel() {
        let queue = LogQueue()
        let logger = queue.logger(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let events = RuntimeEvents([.keeping(in: LogKeeper(), outputOf: logger)])
        for level in [RuntimeEvent.Level.debug, .error] {
            queue.minimumLevel = Logger.Level(rawValue: level.rawValue)
            let taken = RuntimeEvent.Level.allCases.filter { events.takesOutput(at: $0) }
            #expect(taken.first == level)
        }
    }

    @Test("A row names the worker, the level, and the event, feature and instance that the record is about")
    func rows() throws {
        let id = try #require(Self.event)
        var history = LogHistory()
        let entry = RuntimeEvent.OutputLine.Entry(
            label: "tally",
            source: "Tally",
            metadata: ["event": "\(id)", "cause": "event"]
        )
        history.add(Self.output("It is slow.", .warning, entry), at: .now)
        let strange = RuntimeEvent.OutputLine.Entry(label: "l", source: "s", metadata: ["event": "no ID"])
        history.add(Self.output("b", .warning, strange), at: .now)
        history.add(.workerCrashReported(Self.worker, title: "Program crashed: x", report: "a\nb\n"), at: .now)
        history.add(
            .eventQuarantined(id, of: Self.member, incarnations: [1, 2], cause: .signal(6)),
            at: .now
        )
        let rows = history.records().map(\.row)
        #expect(rows[0]["number"] == 1 && rows[0]["level"] == "warning" && rows[0]["message"] == "It is slow.")
        #expect(rows[0]["worker"] == "uploads" && rows[0]["processID"] == 4711 && rows[0]["incarnation"] == 2)
        // The worker wrote the ID.
        #expect(rows[0]["events"] == [.text("\(id)")] && rows[0]["feature"] == .null && rows[0]["instance"] == .null)
        #expect(rows[0]["label"] == "tally" && rows[0]["source"] == "Tally" && rows[0]["metadata"]?["cause"] == "event")
        #expect(rows[1]["events"] == ["no ID"] && rows[1]["feature"] == .null)
        #expect(rows[2]["details"] == ["a", "b"] && rows[2]["kind"] == "workerCrashReported")
        #expect(rows[3]["events"] == [.text("\(id)")] && rows[3]["level"] == "error")
        #expect(rows[3]["group"] == "uploads" && rows[3]["feature"] == "tally" && rows[3]["instance"] == "")
    }

    @Test("A record about a group names it, and no worker")
    func groups() {
        let record = LogHistory.Record(number: 1, event: .groupProbed(group: "uploads"), time: .now, bytes: 0)
        #expect(record.row["group"] == "uploads" && record.row["worker"] == .null)
        let root = LogHistory.Record(number: 1, event: .groupProbed(group: ""), time: .now, bytes: 0)
        #expect(root.row["group"] == "default")
    }

    @Test("An end is about a feature only if all of its events are")
    func endsOfSeveral() throws {
        let ids = try ["tally/a", "tally/b", "todos/a"].map { path in
            try #require(EventID("\(path)/00000000000000000000000000000001/1/7"))
        }
        func row(_ events: [EventID]) -> [String: DescriptionValue] {
            let event = RuntimeEvent.workerTerminated(Self.end(events: events))
            return LogHistory.Record(number: 1, event: event, time: .now, bytes: 0).row
        }
        let one = row([ids[0]])
        #expect(one["feature"] == "tally" && one["instance"] == "a" && one["details"] == ["Fatal error: x"])
        #expect(row([ids[0], ids[1]])["feature"] == "tally" && row([ids[0], ids[1]])["instance"] == .null)
        #expect(row(ids)["feature"] == .null && row(ids)["events"]?.elements?.count == 3)
        #expect(row([])["feature"] == .null && row([])["events"] == [])
    }

    /// A request, and the numbers of its page.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let request: DescribeMessage
        let numbers: [Int]
        let total: UInt64
        var cut: DescriptionCut?
    }

    static let cases = [
        Case(
            testDescription: "after a number",
            request: DescribeMessage(request: 1, after: 20),
            numbers: [30, 40],
            total: 2
        ),
        Case(
            testDescription: "a page after a number",
            request: DescribeMessage(request: 1, limit: 1, after: 15),
            numbers: [20],
            total: 3,
            cut: .limit
        ),
        Case(
            testDescription: "after the last one",
            request: DescribeMessage(request: 1, after: 40),
            numbers: [],
            total: 0
        ),
        Case(
            testDescription: "reversed, after a number",
            request: DescribeMessage(request: 1, reverse: 1, after: 10),
            numbers: [40, 30, 20],
            total: 3
        ),
    ]

    @Test("Rows with numbers are continued after a number", arguments: cases)
    func continued(_ example: Case) throws {
        let list = DescribedList(
            subjects: [10, 20, 30, 40],
            keys: ["number"],
            texts: { ["\($0)"] },
            ranks: [:],
            number: { UInt64($0) },
            row: { ["number": DescriptionValue($0)] }
        )
        let answer = list.answer(example.request)
        #expect(try DescriptionValue.rows(decoding: answer.rows).map { $0["number"]?.int } == example.numbers)
        #expect(answer.total == example.total && answer.cut == example.cut)
    }

    @Test("Rows without numbers cannot be continued")
    func withoutNumbers() {
        let list = DescribedList(
            subjects: [1],
            keys: ["x"],
            texts: { ["\($0)"] },
            ranks: [:],
            row: { ["x": .init($0)] }
        )
        let answer = list.answer(DescribeMessage(request: 1, section: "workers", after: 0))
        #expect(answer.code == .unknownSortKey)
        #expect(
            answer.reason
                == "The rows of the section \"workers\" have no numbers to continue after. Ask without a number."
        )
    }
}
