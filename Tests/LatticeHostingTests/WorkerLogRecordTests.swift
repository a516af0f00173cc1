import LatticeHosting
import Testing

struct WorkerLogRecordTests {
    private func read(_ line: some Sequence<UInt8>) -> WorkerLogRecord? {
        Array(line).withUnsafeBytes { WorkerLogRecord($0) }
    }

    @Test(
        "A log record is one line, and is decoded as it was encoded",
        arguments: [
            ("", [:]), ("a message", ["key": "value", "": ""]), ("two\nlines\r\n", ["a\nb": "\\n"]),
            ("\u{1E}\u{1F}\\ é 💣", ["\u{1F}": "\u{1E}"]),
        ] as [(String, [String: String])]
    )
    func roundTrip(message: String, metadata: [String: String]) {
        let record = WorkerLogRecord(level: "info", label: "a", source: "b", message: message, metadata: metadata)
        #expect(record.line.last == 10 && record.line.dropLast().allSatisfy { $0 != 10 })
        #expect(read(record.line.dropLast()) == record)
    }

    @Test("A log record stays below the length at which lines are cut, whatever it contains")
    func size() {
        let much = String(repeating: "\n", count: 10_000)
        let metadata = Dictionary(uniqueKeysWithValues: (0..<3_000).map { ("\u{1F}\($0)", "\n") })
        let record = WorkerLogRecord(level: "info", label: much, source: much, message: much, metadata: metadata)
        #expect(record.line.count < 16 * 1024)
        #expect(read(record.line.dropLast())?.message == String(repeating: "\n", count: 3 * 1024))
    }

    @Test("Long values are cut to the room that shorter ones leave, and all keys are kept")
    func longValues() throws {
        let long = String(repeating: "x", count: 10_000)
        let metadata = ["a": long, "b": "short", "c": long, "d": "", "e": "é"]
        let record = WorkerLogRecord(level: "info", label: "a", source: "b", message: "c", metadata: metadata)
        let taken = try #require(read(record.line.dropLast()))
        #expect(taken.metadata.keys.sorted() == ["a", "b", "c", "d", "e"])
        #expect(taken.metadata["b"] == "short" && taken.metadata["d"] == "" && taken.metadata["e"] == "é")
        // 4,096 without five keys, one byte more for each, and seven bytes of short values.
        let lengths = ["a", "c"].compactMap { taken.metadata[$0]?.utf8.count }.sorted()
        #expect(lengths == [2_039, 2_040])
    }

    @Test("Keys beyond the limit are left out, the last ones first")
    func longKeys() throws {
        let long = String(repeating: "k", count: WorkerLogRecord.maximumMetadata)
        let record = WorkerLogRecord(
            level: "info",
            label: "a",
            source: "b",
            message: "c",
            metadata: ["a": "1", long: "2"]
        )
        let taken = try #require(read(record.line.dropLast()))
        #expect(taken.metadata == ["a": "1"])
    }

    @Test(
        "A line that is no log record is an ordinary line",
        arguments: [
            "", "text", "\u{1E}", "\u{1E}lattice-log-1", "\u{1E}lattice-log-1\u{1F}info\u{1F}a\u{1F}b",
            "\u{1E}lattice-log-2\u{1F}info\u{1F}a\u{1F}b\u{1F}c",
            "\u{1E}lattice-log-1\u{1F}i\u{1F}a\u{1F}b\u{1F}c\u{1F}key",
        ]
    )
    func others(line: String) {
        #expect(read(line.utf8) == nil)
    }
}
