import LatticeWire
import Testing

@testable import LatticeControl

/// The keys and the screen of `latticectl top`, without a terminal.
@Suite struct TopStateTests {
    private static let start = ContinuousClock.now

    /// Pages of all parts of the screen, at one time.
    private struct Sample {
        let time: ContinuousClock.Instant
        let pages: [TopPart: SectionDescription]
    }

    /// A sample with workers, given by their names, CPU times and process IDs, and one instance.
    ///
    /// - Parameter total: The number of workers and of instances of the coordinator, if these are a part of them.
    private static func sample(
        after seconds: Int = 0,
        _ workers: [(name: String, cpu: Int, process: Int)],
        acknowledged: Int = 0,
        total: Int? = nil
    ) -> Sample {
        let rows = workers.map { worker -> [String: DescriptionValue] in
            [
                "worker": .text(worker.name), "group": "", "state": "serving", "processID": .init(worker.process),
                "cpuMilliseconds": .init(worker.cpu), "residentBytes": 1024, "restarts": 1, "limits": [:],
            ]
        }
        let instance: [String: DescriptionValue] = [
            "feature": "tally", "instance": "", "status": "serving", "worker": "a", "waiting": 3,
            "acknowledged": .init(acknowledged), "viewRevision": .init(acknowledged / 2), "lag": 2,
        ]
        let coordinator: [String: DescriptionValue] = [
            "program": "/bin/tally", "processID": 7, "uptimeMilliseconds": 2300, "workers": .init(workers.count),
        ]
        return Sample(
            time: start + .seconds(seconds),
            pages: [
                .coordinator: SectionDescription(section: "coordinator", rows: [coordinator], total: 1),
                .table(.workers): SectionDescription(section: "workers", rows: rows, total: total ?? rows.count),
                .table(.instances): SectionDescription(section: "instances", rows: [instance], total: total ?? 1),
                .table(.clients): SectionDescription(section: "clients", rows: [], total: 0),
                .table(.groups): SectionDescription(section: "groups", rows: [["group": "default"]], total: 1),
            ]
        )
    }

    private static func receive(_ sample: Sample, _ state: inout TopState) {
        for (part, page) in sample.pages { _ = state.receive(page, for: state.query(of: part), at: sample.time) }
    }

    private static let two = [("a", 100, 1), ("b", 100, 2)]

    private func makeState() -> TopState {
        var state = TopState()
        Self.receive(Self.sample(Self.two), &state)
        Self.receive(Self.sample(after: 2, [("a", 600, 1), ("b", 1600, 2)], acknowledged: 500), &state)
        return state
    }

    @Test("Loads and rates come from two samples, and not from two processes")
    func rates() {
        var state = makeState()
        #expect(state.rows.map { $0["worker"] } == ["b", "a"])
        #expect(state.rows.map { $0["cpu"] } == [75.0, 25.0])
        #expect(state.sample.pages[.instances]?.rows.first?["rate"] == 250)
        #expect(state.sample.pages[.instances]?.rows.first?["patches"] == 125)
        let group = state.sample.pages[.groups]?.rows.first
        #expect(group?["cpu"] == 100.0 && group?["residentBytes"] == 2048 && group?["restarts"] == 2)
        // The worker "b" is another process now.
        Self.receive(Self.sample(after: 3, [("a", 700, 1), ("b", 9, 3)]), &state)
        #expect(state.rows.map { $0["cpu"] } == [10.0, nil])
    }

    static let typed: [(keys: String, output: TopState.Output, table: TopTable)] = [
        ("q", .quit, .workers), ("2", .draw, .instances), ("4", .draw, .groups), ("?q", .draw, .workers),
        ("?qq", .quit, .workers), ("Ry", .restart("b"), .workers), ("Rn", .draw, .workers),
        ("jRy", .restart("a"), .workers),
        ("jjjkRY", .restart("b"), .workers), ("rRy", .restart("a"), .workers), ("2Ry", .restart("a"), .instances),
        ("3Ry", .draw, .clients), ("x", .draw, .workers), ("s", .draw, .workers), ("/q", .draw, .workers),
    ]

    @Test("Keys choose tables and rows, and restart a worker only after a question", arguments: typed)
    func types(keys: String, output: TopState.Output, table: TopTable) {
        var state = makeState()
        var last = TopState.Output.draw
        for key in keys { last = state.receive(.character(key)) }
        #expect(last == output && state.table == table)
        #expect(state.receive(.interrupt) == .quit)
    }

    @Test("A filter is written, kept with Escape, and asked for with Enter")
    func filter() {
        var state = makeState()
        for key in [.character("/"), .character("x"), .character("y"), .backspace] as [TopKey] {
            _ = state.receive(key)
        }
        #expect(state.receive(.enter) == .draw && state.filter == "x")
        for key in [.character("/"), .backspace, .escape] as [TopKey] { _ = state.receive(key) }
        #expect(state.filter == "x")
        for key in [.character("/"), .backspace] as [TopKey] { _ = state.receive(key) }
        #expect(state.receive(.enter) == .draw && state.filter == nil)
        _ = state.receive(.character("/"))
        for _ in 0..<100 { _ = state.receive(.character("x")) }
        _ = state.receive(.enter)
        #expect(state.filter?.count == 60)
    }

    @Test("The selected row stays selected when the order changes, and the first one takes its place when it is gone")
    func selection() {
        var state = makeState()
        _ = state.receive(.down)
        #expect(state.rows[state.selected]["worker"] == "a")
        Self.receive(Self.sample(after: 3, [("a", 1500, 1), ("b", 1600, 2)]), &state)
        #expect(state.selected == 0 && state.rows[0]["worker"] == "a")
        Self.receive(Self.sample(after: 4, [("b", 1600, 2), ("c", 1, 4)]), &state)
        #expect(state.selected == 0)
    }

    @Test(
        "The screen fits the terminal in every mode",
        arguments: [(80, 24), (40, 10), (8, 3)]
    )
    func screen(width: Int, height: Int) {
        var state = TopState()
        let many = (0..<100).map { ("worker-with-a-long-name-\($0)", $0, $0 + 1) }
        #expect(TopScreen(state, width: width).lines(height: height).count == 1)
        Self.receive(Self.sample(many), &state)
        for keys in ["", "?", "x/abc", "\u{1b}R", "n\r"] {
            for key in TopKey.keys(in: Array(keys.utf8)) { _ = state.receive(key) }
            let lines = TopScreen(state, width: width).lines(height: height)
            #expect(lines.count <= height && lines.allSatisfy { $0.text.count <= width })
        }
    }

    @Test("The coordinator ranks the rows, and is asked for another order when a key has changed it")
    func ranks() {
        var state = makeState()
        let workers = TopPart.table(.workers)
        #expect(state.query(of: workers) == TopQuery(part: workers, rank: "cpuMilliseconds"))
        #expect(state.query(of: .coordinator) == TopQuery(part: .coordinator))
        #expect(state.query(of: .table(.clients)) == TopQuery(part: .table(.clients), rank: "running"))
        #expect(state.receive(.character("r")) == .draw)
        #expect(state.query(of: workers).isReversed && !state.query(of: .table(.clients)).isReversed)
        #expect(state.receive(.character("s")) == .draw)
        #expect(state.query(of: workers) == TopQuery(part: workers, rank: "residentBytes"))
        #expect(state.receive(.character("r")) == .draw)
        #expect(state.query(of: workers) == TopQuery(part: workers, rank: "residentBytes", isReversed: true))
    }

    @Test("The coordinator is asked to rank by percentiles only if it has described some")
    func olderCoordinator() {
        for isOlder in [true, false] {
            var state = makeState()
            state.choose(.instances)
            #expect(state.query(of: .table(.instances)).rank == "acknowledged")
            _ = state.receive(.character("s"))
            #expect(state.sortKey == "p50Milliseconds")
            let row: [String: DescriptionValue] = isOlder ? [:] : ["p50Milliseconds": nil]
            let page = SectionDescription(section: "instances", rows: [row], total: 600)
            let part = TopPart.table(.instances)
            _ = state.receive(page, for: state.query(of: part), at: Self.start)
            #expect(state.query(of: part).rank == (isOlder ? nil : "p50Milliseconds"))
        }
    }

    @Test("The coordinator is asked to rank by patches only if it describes lags, because an older one refuses it")
    func patches() {
        for isOlder in [true, false] {
            var state = makeState()
            state.choose(.instances)
            for _ in 0..<20 where state.sortKey != "patches" { _ = state.receive(.character("s")) }
            #expect(state.sortKey == "patches")
            let row: [String: DescriptionValue] = isOlder ? ["viewRevision": 5] : ["viewRevision": 5, "lag": 0]
            let page = SectionDescription(section: "instances", rows: [row], total: 600)
            let part = TopPart.table(.instances)
            _ = state.receive(page, for: state.query(of: part), at: Self.start)
            #expect(state.query(of: part).rank == (isOlder ? nil : "viewRevision"))
        }
    }

    @Test("Sums of a part of the rows are marked or left out")
    func parts() {
        var state = makeState()
        Self.receive(Self.sample(after: 3, Self.two, acknowledged: 700, total: 600), &state)
        #expect(TopScreen(state, width: 100).lines(height: 9)[1].text.hasSuffix("  events/s ≥200  queue ≥3"))
        #expect(state.sample.pages[.groups]?.rows == [["group": "default"]])
    }

    @Test("The page of another query is dropped, and only the table that is shown is drawn again")
    func queries() {
        var state = makeState()
        let page = SectionDescription(section: "clients", rows: [["client": "x"]], total: 1)
        let clients = TopPart.table(.clients)
        let query = state.query(of: clients)
        #expect(state.receive(page, for: query, at: Self.start) == nil)
        #expect(state.sample.pages[.clients]?.total == 1)
        state.choose(.clients)
        #expect(state.receive(page, for: query, at: Self.start) == .draw)
        #expect(state.receive(.character("r")) == .draw)
        let none = SectionDescription(section: "clients", rows: [], total: 0)
        #expect(state.receive(none, for: query, at: Self.start) == nil)
        #expect(state.sample.pages[.clients]?.total == 1)
    }

    @Test("An inbox keeps all results, the newest events of a terminal and the newest page of each query")
    func inbox() {
        var inbox = TopInbox<Int, String, Int, String>()
        for event in 0..<100 {
            inbox.add(event: event)
            inbox.add(event, for: "query \(event % 2)")
        }
        for number in 0..<100 { inbox.add("\(number)") }
        let items = inbox.takeAll()
        #expect(items.count == 166)
        let events = items.compactMap { if case .event(let event) = $0 { event } else { nil } }
        #expect(events == Array(36..<100))
        let pages = items.compactMap { if case .page(let page) = $0 { page } else { nil } }
        #expect(pages.sorted() == [98, 99])
        #expect(inbox.takeAll().isEmpty)
    }

    @Test("The whole screen at 80 columns")
    func text() {
        let lines = TopScreen(makeState(), width: 80).lines(height: 9).map(\.text)
        #expect(
            lines == [
                "tally 7  up 2.3 s  memory -  files -",
                "workers 2  instances -  clients -  tools -  quarantined -  events/s 250  queue 3",
                "[1 workers]  2 instances   3 clients   4 groups   by CPU%",
                "  WORKER  STATE    PID  CPU%   MEMORY  RESTARTS",
                "> b       serving    2  75.0  1.0 KiB         1",
                "  a       serving    1  25.0  1.0 KiB         1", "", "",
                "q quit  ? help  1-4 table  Enter more  s sort  r reverse  / filter  R restart",
            ]
        )
    }

    @Test("Enter shows all fields of a row, which stay up to date, until Escape")
    func details() {
        var state = makeState()
        let size = TopScreen.Size(width: 80, height: 9)
        func lines() -> ArraySlice<String> { TopScreen(state, width: 80).lines(height: 9).map(\.text)[3...] }
        _ = state.receive(.down, on: size)
        #expect(state.receive(.enter, on: size) == .draw)
        let first = lines()
        #expect(first[3] == "  1 to 4 of 9 lines" && first[4] == "  cpu              25.0" && first.count == 6)
        #expect(first.last == "Escape: back  Up Down: other lines  q: quit")
        // The lines end with the last one, however often a key is pressed.
        for key in [.down, .pageDown, .pageDown] as [TopKey] { #expect(state.receive(key, on: size) == .draw) }
        #expect(lines()[3] == "  6 to 9 of 9 lines" && lines()[7] == "  worker           a")
        _ = state.receive(.up, on: size)
        #expect(lines()[3] == "  5 to 8 of 9 lines")
        for _ in 0..<9 { _ = state.receive(.up, on: size) }
        Self.receive(Self.sample(after: 3, [("a", 700, 1), ("b", 2600, 2)]), &state)
        #expect(lines()[4] == "  cpu              10.0")
        Self.receive(Self.sample(after: 4, [("b", 1600, 2)]), &state)
        #expect(lines()[3...4] == ["", "  It is not described any more."])
        for key in [.pageDown, .escape] as [TopKey] { #expect(state.receive(key, on: size) == .draw) }
        #expect(lines()[3].hasPrefix("  WORKER"))
        _ = state.receive(.enter, on: size)
        #expect(state.receive(.character("q"), on: size) == .quit)
        // Without a row there is nothing to show.
        state.choose(.clients)
        #expect(state.receive(.escape) == .draw && state.receive(.enter) == .draw && lines()[3] == "")
    }

    static let inputs: [(bytes: [UInt8], keys: [TopKey])] = [
        ([], []), (Array("aé".utf8), [.character("a"), .character("é")]), ([0x1b], [.escape]),
        ([0x1b, 0x5b, 0x41, 0x1b, 0x4f, 0x42], [.up, .down]), ([0x1b, 0x5b, 0x35, 0x7e], [.pageUp]),
        ([0x1b, 0x5b, 0x36, 0x7e, 0x71], [.pageDown, .character("q")]), ([0x1b, 0x5b], []),
        ([0x1b, 0x5b, 0x31, 0x3b, 0x35, 0x43], []), ([3], [.interrupt]), ([4], [.interrupt]), ([13], [.enter]),
        ([127, 8, 9], [.backspace, .backspace, .tab]), ([0xff, 0xc3, 0x28, 1], []),
    ]

    @Test("The bytes of a terminal become keys", arguments: inputs)
    func decoding(bytes: [UInt8], keys: [TopKey]) {
        #expect(TopKey.keys(in: bytes) == keys)
    }
}
