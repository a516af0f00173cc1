import LatticeHosting
import Testing

struct WorkerLogRecordTests {
    private func read(_ line: some Sequence<UInt8>) -> WorkerLogRecord? {
        Array(line).withUnsafeBytes { WorkerLogRecord($0) }
    }

    @Test(
        "a record is one line, and is read as it was written",
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

    @Test("a record stays below the length at which a line is cut, whatever is in it")
    func size() {
        let much = String(repeating: "\n", count: 10_000)
        let metadata = Dictionary(uniqueKeysWithValues: (0..<3_000).map { ("\u{1F}\($0)", "\n") })
        let record = WorkerLogRecord(level: "info", label: much, source: much, message: much, metadata: metadata)
        #expect(record.line.count < 16 * 1024)
        #expect(read(record.line.dropLast())?.message == String(repeating: "\n", count: 3 * 1024))
    }

    @Test(
        "a line that is none is a line like any other",
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
