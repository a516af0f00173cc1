import LatticeCoding
import LatticeConcurrency
import Testing

@testable import LatticeJobs

@Suite(.timeLimit(.minutes(10))) struct JobLinesTests {
    private static func lines(_ numbers: some Sequence<Int>) -> [JobOutputLine] {
        numbers.map { JobOutputLine("\($0)", to: .output) }
    }

    @Test(
        "A line of up to 1,024 bytes is kept as it is, and a longer one is cut",
        arguments: [("", false), ("é", false), (String(repeating: "x", count: 1024), false)]
            + [(String(repeating: "x", count: 1025), true), (String(repeating: "é", count: 600), true)]
    )
    func cut(text: String, isCut: Bool) {
        let line = JobOutputLine(text, to: .error)
        #expect(line.isCut == isCut)
        #expect(isCut ? line.text.utf8.count <= JobOutputLine.maximumBytes : line.text == text)
    }

    @Test(
        "The last 256 lines are kept, and the first of them counts those before",
        arguments: [1, 256, 257, 600, 5000]
    )
    func kept(count: Int) {
        var kept = KeptLines()
        for line in Self.lines(1...count) { kept.add(line) }
        let taken = kept.takeAll()
        #expect(taken.count == min(count, JobOutputLine.maximumLines))
        #expect(taken.last?.text == "\(count)")
        #expect(taken.first?.omittedBefore == count - taken.count)
        #expect(taken.dropFirst().allSatisfy { $0.omittedBefore == 0 })
        #expect(kept.isEmpty && kept.takeAll().isEmpty)
        kept.add(JobOutputLine("next", to: .output))
        #expect(kept.takeAll().map(\.omittedBefore) == [0])
    }

    /// A line as another process may send it.
    private struct ForgedLine: Codable {
        var stream = "output"
        var text = "x"
        var isCut = false
        var omittedBefore = 0
    }

    @Test(
        "A line of another process is bounded, whatever it contains",
        arguments: [
            (ForgedLine(), 1, false, 0), (ForgedLine(isCut: true, omittedBefore: 7), 1, true, 7),
            (ForgedLine(omittedBefore: .max), 1, false, 1 << 31), (ForgedLine(omittedBefore: .min), 1, false, 0),
            (ForgedLine(text: String(repeating: "x", count: 5000)), 1024, true, 0),
        ]
    )
    private func forged(line: ForgedLine, bytes: Int, isCut: Bool, omitted: Int) throws {
        let decoded = try CBORDecoder().decode(JobOutputLine.self, from: try CBOREncoder().encode(line))
        #expect(decoded.text.utf8.count == bytes && decoded.isCut == isCut && decoded.omittedBefore == omitted)
        #expect(try CBORDecoder().decode(JobOutputLine.self, from: try CBOREncoder().encode(decoded)) == decoded)
    }

    @Test("Numbers of omitted lines that overflow together end the lines early and cause no trap")
    func overflow() {
        let box = JobLineBox()
        var line = JobOutputLine("x", to: .output)
        line.omittedBefore = .max - 8
        box.add([line])
        #expect(Self.found(box, after: 0)?.end == .max - 7)
        line.omittedBefore = 1 << 31
        for _ in 1...3 { box.add([line]) }
        #expect(Self.found(box, after: .max - 7)?.end == .max)
        box.end()
        #expect(Self.found(box, after: .max) == nil)
    }

    @Test("Of a message with too many lines the last are kept")
    func longMessage() throws {
        let box = JobLineBox()
        box.add(Self.lines(1...5000))
        let found = try #require(Self.found(box, after: 0))
        #expect(found.texts == Self.lines(4745...5000).map(\.text) && found.end == JobOutputLine.maximumLines)
    }

    private static func found(_ box: JobLineBox, after seen: Int) -> (texts: [String], omitted: [Int], end: Int)? {
        guard case .lines(let lines, let end) = box.lines(after: seen) else { return nil }
        return (lines.map(\.text), lines.map(\.omittedBefore), end)
    }

    @Test("Each reader gets the lines that it has not seen, and learns how many it has missed")
    func box() throws {
        let box = JobLineBox()
        #expect(Self.found(box, after: 0) == nil)
        box.add(Self.lines(1...3))
        let first = try #require(Self.found(box, after: 0))
        #expect(first.texts == ["1", "2", "3"] && first.omitted == [0, 0, 0] && first.end == 3)
        // The worker has left out two lines.
        var line = JobOutputLine("6", to: .output)
        line.omittedBefore = 2
        box.add([line])
        let second = try #require(Self.found(box, after: 3))
        #expect(second.texts == ["6"] && second.omitted == [2] && second.end == 6)
        for first in stride(from: 7, to: 1007, by: 100) { box.add(Self.lines(first..<first + 100)) }
        let late = try #require(Self.found(box, after: 6))
        #expect(late.texts.count == JobOutputLine.maximumLines && late.texts.last == "1006" && late.end == 1006)
        #expect(late.omitted.first == 1000 - JobOutputLine.maximumLines)
        box.end()
        #expect(Self.found(box, after: 1003)?.texts == ["1004", "1005", "1006"])
        guard case .ended = box.lines(after: 1006) else {
            Issue.record("The lines have not ended.")
            return
        }
        // A line that arrives after the end is dropped.
        box.add(Self.lines([1]))
        guard case .ended = box.lines(after: 1006) else {
            Issue.record("There is a line after the end.")
            return
        }
    }

    @Test("A reader that waits gets the next line, and the end")
    func reader() async {
        let box = JobLineBox()
        let lines = JobLines(box: box) {}
        async let read = lines.reduce(into: [String]()) { $0.append($1.text) }
        box.add(Self.lines(1...2))
        box.add(Self.lines([3]))
        box.end()
        #expect(await read == ["1", "2", "3"])
    }

    @Test("A sender merges lines while others are being sent, and its end waits for the last of them")
    func sender() async {
        let batches = Locked<[[JobOutputLine]]>([])
        let gate = OneShot<Void>()
        let sender = JobLineSender(.now) { lines in
            await gate.wait()
            batches.withLock { $0.append(lines) }
        }
        for line in Self.lines(1...1000) { sender.add(line) }
        gate.complete()
        await sender.end()
        sender.add(JobOutputLine("late", to: .output))
        await sender.end()
        let sent = batches.withLock(\.self)
        #expect(sent.count <= 3)
        #expect(sent.joined().reduce(0) { $0 + $1.omittedBefore + 1 } == 1000)
        #expect(sent.last?.last?.text == "1000")
    }

    @Test("Without a reader no line is sent before the job ends, and then the last ones are")
    func unfollowed() async {
        let batches = Locked<[[JobOutputLine]]>([])
        let sender = JobLineSender(.later) { lines in batches.withLock { $0.append(lines) } }
        for line in Self.lines(1...1000) { sender.add(line) }
        "é\u{1F600}".withCString { text in
            // The last bytes of the character are missing.
            sender.add(UnsafeRawBufferPointer(start: text, count: 4), to: .error)
        }
        let early = batches.withLock(\.self)
        #expect(early.isEmpty)
        await sender.end()
        let sent = batches.withLock(\.self)
        #expect(sent.count == 1 && sent.first?.count == JobOutputLine.maximumLines)
        #expect(sent.joined().reduce(0) { $0 + $1.omittedBefore + 1 } == 1001)
        #expect(sent.last?.last == JobOutputLine("é\u{FFFD}", to: .error))
        let quiet = JobLineSender(.later) { _ in Issue.record("Nothing was printed.") }
        await quiet.end()
    }

    @Test("A reader that comes while the job runs gets the lines that were kept, and the next ones at once")
    func followedLater() async {
        let batches = Locked<[[JobOutputLine]]>([])
        let arrived = [OneShot<Void>(), OneShot<Void>()]
        let sender = JobLineSender(.later) { lines in
            let count = batches.withLock { batches in
                batches.append(lines)
                return batches.joined().count
            }
            arrived[count == 3 ? 0 : 1].complete()
        }
        for line in Self.lines(1...3) { sender.add(line) }
        sender.follow()
        await arrived[0].wait()
        sender.add(JobOutputLine("4", to: .output))
        await arrived[1].wait()
        let texts = batches.withLock { $0.joined().map(\.text) }
        #expect(texts == ["1", "2", "3", "4"])
        await sender.end()
    }

    @Test("Lines that can have no reader are not sent")
    func unread() async {
        let sender = JobLineSender(.never) { lines in Issue.record("\(lines)") }
        sender.add(JobOutputLine("1", to: .output))
        await sender.flush()
        await sender.end()
    }

    @Test("The lines that were kept are sent before the worker is ended, and a second request finds none")
    func flush() async {
        let texts = Locked<[String]>([])
        let sender = JobLineSender(.later) { lines in texts.withLock { $0 += lines.map(\.text) } }
        await sender.flush()
        let none = texts.withLock(\.self)
        #expect(none.isEmpty)
        sender.add(JobOutputLine("1", to: .output))
        sender.add(JobOutputLine("2", to: .output))
        await sender.flush()
        let sent = texts.withLock { Set($0) }
        #expect(sent == ["1", "2"])
        await sender.flush()
        await sender.end()
        let all = texts.withLock(\.count)
        #expect(all == 2)
    }

    @Test("The worker of a job learns whether its lines are read, and of the first reader that was not expected")
    func reading() {
        let readers = Locked(0)
        let box = JobLineBox()
        #expect(box.reading == .later)
        let lines = JobLines(box: box) { readers.withLock { $0 += 1 } }
        for _ in 1...2 { _ = lines.makeAsyncIterator() }
        let count = readers.withLock(\.self)
        #expect(box.reading == .now && count == 1)
        let expected = JobLines(box: JobLineBox(reading: .now)) { Issue.record("The reader was expected.") }
        _ = expected.makeAsyncIterator()
        #expect(expected.box.reading == .now)
    }

    @Test(
        "A line of bytes that is too long is cut at a character",
        arguments: [
            (String(repeating: "x", count: 5000), String(repeating: "x", count: 1024)),
            (String(repeating: "x", count: 1023) + "é", String(repeating: "x", count: 1023)),
            ("x" + String(repeating: "\u{1F600}", count: 300), "x" + String(repeating: "\u{1F600}", count: 255)),
            (String(repeating: "x", count: 1024), String(repeating: "x", count: 1024)),
        ]
    )
    func bytes(text: String, expected: String) {
        var kept = KeptLines()
        Array(text.utf8).withUnsafeBytes { kept.add($0, to: .output) }
        let line = kept.takeAll().first
        #expect(line?.text == expected && line?.isCut == (text != expected))
    }
}
