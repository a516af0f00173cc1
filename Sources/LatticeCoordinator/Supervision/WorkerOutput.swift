import LatticeHosting
import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Logs what a worker writes to its standard output or error: lines, the records of a `WorkerLogHandler`, and the
/// report of a crash as one entry. Bytes that are no UTF-8 show as U+FFFD.
///
/// A worker may write without end, and the thread that reads it serves all others. So a line costs little unless it is
/// logged, and a bounded number of lines is logged in a time.
final class WorkerOutput: @unchecked Sendable {
    // Unchecked: the event loop's thread alone calls it.

    private let logger: Logger
    private let level: Logger.Level
    private let queue: QueuedLogHandler?
    /// nil: nothing but lines is looked for.
    private let tail: OutputTail?
    private var lines = LineSplitter()
    private var report = BacktraceLines()
    private var pace = OutputPace()
    private let reportTimeout: Duration
    private let mayCrash: @Sendable () -> Bool
    /// Calls a closure on the event loop's thread after a while.
    private let later: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// Whether it is going to, to tell of lines that were dropped.
    private var isTelling = false

    /// - Parameters:
    ///   - tail: Keeps the last lines of standard error, whatever becomes of the log.
    ///   - reportTimeout: How long the report of a crash may take; lines that come later belong to a worker that lives.
    ///   - mayCrash: Whether the worker crashes, or may. What one writes that does not is no report of a crash.
    ///   - later: Calls a closure on the event loop's thread after a while; nil: that lines were dropped is told when
    ///     the next one is logged, or at the end.
    init(
        to logger: Logger,
        at level: Logger.Level,
        keepingIn tail: OutputTail? = nil,
        reportTimeout: Duration = .seconds(10),
        mayCrash: @escaping @Sendable () -> Bool = { true },
        later: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.tail = tail
        self.logger = logger
        self.level = level
        self.reportTimeout = reportTimeout
        self.mayCrash = mayCrash
        self.later = later
        queue = logger.handler as? QueuedLogHandler
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        // What is not logged is not even divided into lines, unless the last ones are kept.
        guard tail != nil || logger.logLevel <= level else { return }
        let now = ContinuousClock.now
        if report.hasTaken(longerThan: reportTimeout, at: now) { logReport() }
        let isRemarkable = tail.map { $0.isInTrap || report.isReading || bytes.mayBeOfCrash } ?? false
        var behind = bytes.lineBreaks
        var isFirst = true
        lines.feed(bytes) { line in
            behind -= 1
            // The first one may have begun in bytes that came before.
            take(line, at: now, isKept: isRemarkable || isFirst || behind < OutputTail.maximumLines)
            isFirst = false
        }
    }

    func ended(_ error: (any Error)?) {
        let now = ContinuousClock.now
        lines.end { take($0, at: now, isKept: true) }
        logReport()
        logDropped()
        if let error { logger.warning("the worker's output cannot be read: \(error)") }
    }

    /// - Parameter isKept: Whether the line may be one of the last, or of a crash.
    private func take(_ line: UnsafeRawBufferPointer, at now: ContinuousClock.Instant, isKept: Bool) {
        if tail != nil, let record = WorkerLogRecord(line) { return log(record, at: now, isKept: isKept) }
        if let tail, isKept {
            tail.add(line)
            switch report.take(line, at: now, mayBegin: mayCrash) {
            case .part: return
            case .last: return logReport()
            case .other: break
            }
        }
        // A line without text tells nothing.
        guard logger.logLevel <= level, !line.isEmpty, hasRoom(for: line.count, at: now) else { return }
        logger.log(level: level, "\(String(decoding: line, as: UTF8.self))")
    }

    private func log(_ record: WorkerLogRecord, at now: ContinuousClock.Instant, isKept: Bool) {
        if isKept { "\(record.level) \(record.label): \(record.message)".withBytes { tail?.add($0) } }
        let level = Logger.Level(rawValue: record.level) ?? self.level
        guard logger.logLevel <= level, hasRoom(for: record.message.utf8.count, at: now) else { return }
        var metadata: Logger.Metadata = [:]
        // What the coordinator says of the worker is not for the worker to change.
        for (key, value) in record.metadata {
            let isTaken = key == "label" || logger[metadataKey: key] != nil
            metadata[isTaken ? "own.\(key)" : key] = "\(value)"
        }
        metadata["label"] = "\(record.label)"
        logger.log(level: level, "\(record.message)", metadata: metadata, source: record.source)
    }

    /// Whether a line is logged now. A text is only made of one that is: a flood costs little.
    private func hasRoom(for bytes: Int, at now: ContinuousClock.Instant) -> Bool {
        guard pace.admits(at: now) else {
            tellDroppedLater()
            return false
        }
        logDropped()
        guard let queue else { return true }
        return !queue.queue.drops(bytes: bytes, from: queue.origin)
    }

    /// It is known soon that lines are missing, though the worker may write no other one for hours.
    private func tellDroppedLater() {
        guard !isTelling, let later else { return }
        isTelling = true
        later { [self] in
            isTelling = false
            logDropped()
        }
    }

    private func logDropped() {
        guard let count = pace.takeDropped() else { return }
        logger.warning(
            """
            \(count) \(count == 1 ? "line was" : "lines were") dropped: the worker writes more than \
            \(OutputPace.linesPerSecond) lines a second
            """
        )
    }

    private func logReport() {
        guard let (title, text) = report.takeText() else { return }
        logger.error("\(title)", metadata: ["report": "\(text)"])
    }
}

/// How many lines of a worker's output are logged in a time: a log that takes them costs its coordinator a part of a
/// processor, which others need.
struct OutputPace {
    /// Lines that are logged in a second, over a longer time.
    static let linesPerSecond = 4096
    /// Lines that are logged at once after a quiet time. Fewer than wait for the log at most, so that the output of
    /// other workers finds room there.
    static let burst = 2048

    private var room = OutputPace.burst
    private var last: ContinuousClock.Instant?
    /// Whether lines are dropped until there is room for half a burst, so that what is told of them is one line.
    private var isDropping = false
    private var dropped = 0

    /// Whether a line that comes now is logged.
    mutating func admits(at now: ContinuousClock.Instant) -> Bool {
        refill(at: now)
        if isDropping, room >= Self.burst / 2 { isDropping = false }
        guard !isDropping, room > 0 else {
            isDropping = true
            dropped += 1
            return false
        }
        room -= 1
        return true
    }

    private mutating func refill(at now: ContinuousClock.Instant) {
        guard let last else {
            self.last = now
            return
        }
        let lines = Int(last.duration(to: now) / .seconds(1) * Double(Self.linesPerSecond))
        guard lines > 0 else { return }
        room = min(room + lines, Self.burst)
        self.last = now
    }

    /// How many lines were dropped since this was asked last; nil: none.
    mutating func takeDropped() -> Int? {
        guard dropped > 0 else { return nil }
        defer { dropped = 0 }
        return dropped
    }
}

/// Takes the report that Swift's runtime writes of a crash out of a worker's other output.
struct BacktraceLines {
    enum Part { case other, part, last }

    /// What is kept of a report; the rest is left out, and a line says so.
    static let maximumBytes = 64 * 1024
    /// A report that does not end within so many lines is no report.
    static let maximumLines = 10_000
    /// How it begins, and how it ends. The first are lines about threads, before the report itself.
    private static let starts: [StaticString] = [
        "swift-runtime: failed to suspend", "*** Signal ", "*** Program crashed: ", "💣 Program crashed: ",
    ]
    private static let end: StaticString = "Backtrace took "
    /// What comes in place of the banner where the report cannot be made.
    private static let failure: StaticString = " failed ***"
    private static let title: StaticString = "Program crashed: "

    var isReading: Bool { start != nil }
    /// When the first line came.
    private var start: ContinuousClock.Instant?
    private var text: [UInt8] = []
    private var isCut = false
    private var titleLine: String?
    private var count = 0

    /// Whether a report is being read, and has been for longer: it has no end, or is none.
    func hasTaken(longerThan limit: Duration, at now: ContinuousClock.Instant) -> Bool {
        start.map { $0.duration(to: now) > limit } ?? false
    }

    /// - Parameter mayBegin: Asked whether a report may begin, where a line looks like that.
    mutating func take(
        _ line: UnsafeRawBufferPointer,
        at now: ContinuousClock.Instant,
        mayBegin: () -> Bool
    ) -> Part {
        if !isReading {
            guard Self.starts.contains(where: { line.starts(with: $0) }), mayBegin() else { return .other }
            start = now
        }
        count += 1
        if text.count + line.count < Self.maximumBytes {
            text.append(contentsOf: line)
            text.append(UInt8(ascii: "\n"))
        } else {
            isCut = true
        }
        if titleLine == nil, line.contains(Self.title) { titleLine = Self.title(of: line) }
        let hasFailed = titleLine == nil && line.contains(Self.failure)
        return hasFailed || line.starts(with: Self.end) || count >= Self.maximumLines ? .last : .part
    }

    /// The banner without its ornaments.
    private static func title(of line: UnsafeRawBufferPointer) -> String {
        let words = String(decoding: line.prefix(OutputTail.longestLine), as: UTF8.self).split(separator: " ")
        return words.drop { $0 != "Program" }.filter { $0 != "***" }.joined(separator: " ")
    }

    /// The report, as far as it came, and what it says happened; nil: there is none.
    mutating func takeText() -> (title: String, text: String)? {
        guard isReading else { return nil }
        defer { self = BacktraceLines() }
        let text = String(decoding: self.text, as: UTF8.self)
        return (titleLine ?? "Program crashed", isCut ? text + "(the rest is left out)\n" : text)
    }
}

/// Makes lines of what a worker writes, which comes in pieces of any length.
///
/// A line that goes on and on is cut: its writer must neither fill this process's memory nor be left with a pipe that
/// nobody reads.
struct LineSplitter {
    /// Bytes after which a line is cut.
    static let longestLine = 16 * 1024

    private var rest: [UInt8] = []

    /// Calls `body` with each line that is complete now, without its line break. Its bytes are valid during the call.
    mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start < bytes.count {
            let end = min(start + Self.longestLine - rest.count, bytes.count)
            let lineBreak = bytes.lineBreak(in: start..<end)
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<(lineBreak ?? end)])
            start = lineBreak.map { $0 + 1 } ?? end
            if lineBreak != nil, rest.isEmpty {
                body(Self.trimmed(line))
            } else {
                rest.append(contentsOf: line)
                if lineBreak != nil || rest.count == Self.longestLine { take(body) }
            }
        }
    }

    /// Nothing comes any more: calls `body` with a last line that has no line break.
    mutating func end(_ body: (UnsafeRawBufferPointer) -> Void) {
        if !rest.isEmpty { take(body) }
    }

    private mutating func take(_ body: (UnsafeRawBufferPointer) -> Void) {
        rest.withUnsafeBytes { body(Self.trimmed($0)) }
        rest.removeAll(keepingCapacity: true)
    }

    private static func trimmed(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        line.last == UInt8(ascii: "\r") ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    }
}

extension UnsafeRawBufferPointer {
    /// Where the first line break in the range is.
    fileprivate func lineBreak(in range: Range<Int>) -> Int? {
        guard let base = baseAddress, let found = memchr(base + range.lowerBound, 0x0A, range.count) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// How many line breaks there are.
    fileprivate var lineBreaks: Int {
        var (count, start) = (0, 0)
        while start < self.count, let found = lineBreak(in: start..<self.count) {
            count += 1
            start = found + 1
        }
        return count
    }
}

extension String {
    fileprivate func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        var text = self
        text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
