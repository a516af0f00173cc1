import LatticeControl
import LatticeWire
import Testing

/// Descriptions as text for people, and as JSON.
struct DescriptionTextTests {
    static let values: [(key: String, value: DescriptionValue, text: String)] = [
        ("x", nil, "-"),
        ("x", true, "yes"),
        ("x", 12_345, "12345"),
        ("x", "", "\"\""),
        ("x", "a", "a"),
        // A terminal must not act on what a process calls itself.
        ("x", "a\u{1b}[31mb\n", "a\\u{1b}[31mb\\u{a}"),
        ("x", .bytes([0, 0x1b]), "001b"),
        ("x", [1, "b"], "1, b"),
        ("x", [], "-"),
        ("x", ["b": 1, "aMilliseconds": 1500], "{aMilliseconds: 1.5 s, b: 1}"),
        ("ageMilliseconds", 999, "999 ms"),
        ("ageMilliseconds", 59_999, "59.9 s"),
        ("ageMilliseconds", 60_000, "1 min"),
        ("ageMilliseconds", 3_661_000, "1 h 1 min"),
        ("ageMilliseconds", 180_000_000, "2 d 2 h"),
        ("ageMilliseconds", -1500, "-1.5 s"),
        ("p50Milliseconds", 0.85, "850 µs"),
        ("p50Milliseconds", 4.24, "4.2 ms"),
        ("p50Milliseconds", 0.9999, "1.0 ms"),
        ("p50Milliseconds", 99.96, "100 ms"),
        ("p50Milliseconds", 1500.4, "1.5 s"),
        ("p50Milliseconds", -1500.4, "-1.5 s"),
        ("p50Milliseconds", .float(-0x1p127), "-"),
        ("p50Milliseconds", .float(.nan), "-"),
        ("p50Milliseconds", .float(-.infinity), "-"),
        ("stateBytes", 1023, "1023 B"),
        ("stateBytes", 1536, "1.5 KiB"),
        ("stateBytes", 5_368_709_120, "5.0 GiB"),
        ("stateBytes", .integer(Int128(UInt64.max)), "16777215.9 TiB"),
    ]

    @Test("A value is shown with the unit that its key says", arguments: values)
    func value(key: String, value: DescriptionValue, text: String) {
        #expect(value.text(for: key) == text)
    }

    private static let workers = SectionDescription(
        section: "workers",
        rows: [
            [
                "worker": "uploads", "state": "serving", "processID": 4711, "sinceMilliseconds": 3_661_000,
                "restarts": 2, "cpuMilliseconds": 12_345, "residentBytes": 35_000_000, "openFiles": 23,
                "terminations": [["cause": "killed by signal 9 (SIGKILL)", "agoMilliseconds": 12_000]],
                "novelty": "of a later version",
            ],
            ["worker": "default", "state": "failed", "processID": nil, "restarts": 0, "reason": "it ended 6 times"],
        ],
        total: 2
    )

    @Test("A list is a table, and what does not fit into 80 columns is named")
    func table() {
        let lines = DescriptionText(width: 80).lines(for: Self.workers)
        #expect(
            lines == [
                "WORKER   STATE     PID      SINCE  RESTARTS     CPU    MEMORY  FILES  NOVELTY",
                "uploads  serving  4711  1 h 1 min         2  12.3 s  33.3 MiB     23  of a late…",
                "default  failed      -          -         0       -         -      -  -",
                "Use --full to see also: reason, terminations.",
            ]
        )
        #expect(lines.allSatisfy { $0.count <= 80 })
    }

    @Test("Without a width each field that is no list has a column")
    func wide() {
        let lines = DescriptionText(width: nil).lines(for: Self.workers)
        #expect(lines.first?.hasSuffix("NOVELTY             REASON") == true)
        #expect(lines.last == "Use --full to see also: terminations.")
    }

    @Test("A full text shows all fields of each row, also those of a later version")
    func full() {
        var text = DescriptionText(width: 80)
        text.isFull = true
        let lines = text.lines(for: Self.workers)
        #expect(
            Array(lines.prefix(12)) == [
                "cpuMilliseconds    12.3 s", "novelty            of a later version", "openFiles          23",
                "processID          4711", "residentBytes      33.3 MiB", "restarts           2",
                "sinceMilliseconds  1 h 1 min", "state              serving", "worker             uploads",
                "terminations:", "     AGO  CAUSE", "  12.0 s  killed by signal 9 (SIGKILL)",
            ]
        )
    }

    @Test("A section that this version does not know is shown like any other")
    func unknownSection() {
        let page = SectionDescription(
            section: "futures",
            rows: [["b": 1, "a": "x"], ["a": "y", "c": [["d": 1]]]],
            total: 2
        )
        #expect(
            DescriptionText(width: 80).lines(for: page)
                == ["A  B", "x  1", "y  -", "Use --full to see also: c."]
        )
    }

    @Test("A long text is broken between words, and a list that was cut says how to see the rest")
    func wrapped() {
        let reason = "The worker ended 6 times in 10 seconds and is not started again before a reset."
        var text = DescriptionText(width: 40)
        text.isFull = true
        let page = SectionDescription(
            section: "workers",
            rows: [["reason": .text(reason)]],
            total: 9,
            offset: 2,
            cut: .limit
        )
        #expect(
            text.lines(for: page) == [
                "reason  The worker ended 6 times in 10",
                "        seconds and is not started again",
                "        before a reset.",
                "Shown: 3 to 3 of 9. Use --offset 3 to",
                "see more.",
            ]
        )
    }

    @Test("No rows, and headings that are emphasised")
    func headings() {
        var text = DescriptionText(width: 80)
        text.heading = { "<\($0)>" }
        #expect(text.lines(for: SectionDescription(section: "x", rows: [], total: 0)) == ["Nothing to show."])
        #expect(text.lines(for: SectionDescription(section: "x", rows: [["a": 1]], total: 1)) == ["<A>", "1"])
    }

    @Test("JSON has sorted keys, and no character that a terminal acts on")
    func json() {
        let page = SectionDescription(
            section: "x",
            rows: [["b": "\"\\\n\u{1b}\u{9b}é", "a": [nil, true, 1.5, .bytes([255])], "c": .float(.infinity)]],
            total: 2,
            cut: .size
        )
        #expect(
            page.json
                == "{\"cut\":\"size\",\"offset\":0,\"rows\":[{\"a\":[null,true,1.5,\"ff\"],"
                + "\"b\":\"\\\"\\\\\\n\\u001b\\u009bé\",\"c\":null}],\"section\":\"x\",\"total\":2}"
        )
    }
}
