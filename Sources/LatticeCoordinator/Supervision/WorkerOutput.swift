import LatticeCore
import LatticeHosting

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reports what a worker writes to its standard output or error.
///
/// This includes plain lines, the records of a `WorkerLogHandler`, and crash reports, each as one event. Bytes that are
/// not valid UTF-8 appear as U+FFFD.
///
/// A worker may write without end, and the thread that reads its output serves all other workers. Therefore a line
/// costs little unless an observer uses it, and the number of lines that are reported in a given time is limited.
final class WorkerOutput: @unchecked Sendable {
    // Unchecked, because only the event loop's thread calls this object.

    private let worker: RuntimeEvent.Worker
    private let events: RuntimeEvents
    private let level: RuntimeEvent.Level
    /// Whether some observer uses lines of this level. The answer is renewed with each piece of output.
    private var takesLines = false
    /// Keeps the last lines of standard error, or nil for standard output, in which no records or crash reports are
    /// expected.
    private let tail: OutputTail?
    private var lines = LineSplitter()
    private var report = BacktraceLines()
    private var rateLimiter = OutputRateLimiter()
    private let reportTimeout: Duration
    private let mayCrash: @Sendable () -> Bool
    /// Calls a closure on the event loop's thread after a delay.
    private let later: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
    /// Whether a notice about dropped lines is scheduled.
    private var isNoticeScheduled = false

    /// - Parameters:
    ///   - worker: The worker that writes.
    ///   - events: The observers of the output.
    ///   - level: The level of plain lines.
    ///   - tail: Keeps the last lines of standard error, whether or not they are reported.
    ///   - reportTimeout: The maximum time for a crash report. Later lines come from a worker that did not crash.
    ///   - mayCrash: Returns whether the worker is crashing or may be. Otherwise nothing that it writes is a crash
    ///     report.
    ///   - later: Calls a closure on the event loop's thread after a delay. If nil, the number of dropped lines is
    ///     reported with the next line, or at the end.
    init(
        of worker: RuntimeEvent.Worker,
        to events: RuntimeEvents,
        at level: RuntimeEvent.Level,
        keepingIn tail: OutputTail? = nil,
        reportTimeout: Duration = .seconds(10),
        mayCrash: @escaping @Sendable () -> Bool = { true },
        later: (@Sendable (@escaping @Sendable () -> Void) -> Void)? = nil
    ) {
        self.tail = tail
        self.worker = worker
        self.events = events
        self.level = level
        self.reportTimeout = reportTimeout
        self.mayCrash = mayCrash
        self.later = later
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        // Output that no observer uses is not divided into lines, unless the last lines are kept.
        takesLines = events.takesOutput(at: level)
        guard tail != nil || takesLines else { return }
        let now = ContinuousClock.now
        if report.hasTaken(longerThan: reportTimeout, at: now) { reportCrash() }
        let isRemarkable = tail.map { $0.isInTrap || report.isReading || bytes.mayBeOfCrash } ?? false
        var linesLeft = bytes.lineBreaks
        var isFirst = true
        lines.feed(bytes) { line in
            linesLeft -= 1
            // The first line may have begun in earlier bytes.
            take(line, at: now, isKept: isRemarkable || isFirst || linesLeft < OutputTail.maximumLines)
            isFirst = false
        }
    }

    func ended(_ error: (any Error)?) {
        let now = ContinuousClock.now
        takesLines = events.takesOutput(at: level)
        lines.end { take($0, at: now, isKept: true) }
        reportCrash()
        reportDropped()
        if let error { events.emit(.workerOutputFailed, .workerOutputFailed(worker, reason: "\(error)")) }
    }

    /// - Parameter isKept: Whether the line may be one of the last lines or part of a crash report.
    private func take(_ line: UnsafeRawBufferPointer, at now: ContinuousClock.Instant, isKept: Bool) {
        if tail != nil, let record = WorkerLogRecord(line) { return take(record, at: now, isKept: isKept) }
        if let tail, isKept {
            tail.add(line)
            switch report.take(line, at: now, mayBegin: mayCrash) {
            case .part: return
            case .last: return reportCrash()
            case .other: break
            }
        }
        // Empty lines are left out.
        guard takesLines, !line.isEmpty, hasRoom(at: now) else { return }
        events.emit(
            .workerOutput,
            .workerOutput(worker, RuntimeEvent.OutputLine(level: level, text: String(decoding: line, as: UTF8.self)))
        )
    }

    private func take(_ record: WorkerLogRecord, at now: ContinuousClock.Instant, isKept: Bool) {
        if isKept { "\(record.level) \(record.label): \(record.message)".withBytes { tail?.add($0) } }
        let level = RuntimeEvent.Level(rawValue: record.level) ?? self.level
        guard events.takesOutput(at: level), hasRoom(at: now) else { return }
        let entry = RuntimeEvent.OutputLine.Entry(
            label: record.label,
            source: record.source,
            metadata: record.metadata
        )
        let line = RuntimeEvent.OutputLine(level: level, text: record.message, entry: entry)
        events.emit(.workerOutput, .workerOutput(worker, line))
    }

    /// Returns whether a line is reported now. This is checked before the line is converted to text, so that a flood
    /// costs little.
    private func hasRoom(at now: ContinuousClock.Instant) -> Bool {
        guard rateLimiter.admits(at: now) else {
            scheduleDropNotice()
            return false
        }
        reportDropped()
        return true
    }

    /// Schedules a notice about dropped lines, because the worker may not write another line for hours.
    private func scheduleDropNotice() {
        guard !isNoticeScheduled, let later else { return }
        isNoticeScheduled = true
        later { [self] in
            isNoticeScheduled = false
            reportDropped()
        }
    }

    private func reportDropped() {
        guard let count = rateLimiter.takeDropped() else { return }
        let rate = OutputRateLimiter.linesPerSecond
        events.emit(.workerOutputDropped, .workerOutputDropped(worker, lines: count, linesPerSecond: rate))
    }

    private func reportCrash() {
        guard let (title, text) = report.takeText() else { return }
        events.emit(.workerCrashReported, .workerCrashReported(worker, title: title, report: text))
    }
}

/// A rate limiter for the lines of a worker's output. Without it a worker that floods its output would take processor
/// time from the coordinator and the other workers.
struct OutputRateLimiter {
    /// The number of lines that are logged in a second, averaged over a longer time.
    static let linesPerSecond = 4096
    /// The number of lines that are logged at once after a quiet time. It is lower than the number of lines that the
    /// log queue holds, so that the output of other workers finds room there.
    static let burst = 2048

    private var room = OutputRateLimiter.burst
    private var last: ContinuousClock.Instant?
    /// Whether lines are dropped until there is room for half a burst, so that one notice reports many dropped lines.
    private var isDropping = false
    private var dropped = 0

    /// Returns whether a line that arrives now is logged.
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

    /// Returns how many lines were dropped since the last call, or nil if none were.
    mutating func takeDropped() -> Int? {
        guard dropped > 0 else { return nil }
        defer { dropped = 0 }
        return dropped
    }
}

/// Separates the crash reports of Swift's runtime from the other output of a worker.
struct BacktraceLines {
    enum Part { case other, part, last }

    /// The maximum number of bytes that are kept of a report. The rest is left out, and a line says so.
    static let maximumBytes = 64 * 1024
    /// The maximum number of lines of a report. Output that is longer is not a report.
    static let maximumLines = 10_000
    /// The beginnings of a report. The first one belongs to lines about threads, which come before the report itself.
    private static let starts: [StaticString] = [
        "swift-runtime: failed to suspend", "*** Signal ", "*** Program crashed: ", "💣 Program crashed: ",
    ]
    private static let end: StaticString = "Backtrace took "
    /// The end of a line that the runtime writes instead of the banner if it cannot create the report.
    private static let failure: StaticString = " failed ***"
    private static let title: StaticString = "Program crashed: "

    var isReading: Bool { start != nil }
    /// The time when the first line arrived.
    private var start: ContinuousClock.Instant?
    private var text: [UInt8] = []
    private var isCut = false
    private var titleLine: String?
    private var count = 0

    /// Returns whether a report has been read for longer than `limit`. Such a report has no end, or is none.
    func hasTaken(longerThan limit: Duration, at now: ContinuousClock.Instant) -> Bool {
        start.map { $0.duration(to: now) > limit } ?? false
    }

    /// - Parameter mayBegin: Returns whether a report may begin. Called when a line looks like the beginning of one.
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

    /// Returns the banner without its ornaments.
    private static func title(of line: UnsafeRawBufferPointer) -> String {
        let words = String(decoding: line.prefix(OutputTail.maximumLineBytes), as: UTF8.self).split(separator: " ")
        return words.drop { $0 != "Program" }.filter { $0 != "***" }.joined(separator: " ")
    }

    /// Returns the report, as far as it was read, and its title, or nil if there is none.
    mutating func takeText() -> (title: String, text: String)? {
        guard isReading else { return nil }
        defer { self = BacktraceLines() }
        let text = String(decoding: self.text, as: UTF8.self)
        return (titleLine ?? "Program crashed", isCut ? text + "(the rest is left out)\n" : text)
    }
}

/// Divides the output of a worker, which arrives in pieces of any length, into lines.
///
/// A line that is too long is cut. Otherwise a worker could fill the memory of this process, or it would have to block
/// on a pipe that is no longer read.
package struct LineSplitter: Sendable {
    /// The number of bytes after which a line is cut.
    static let maximumLineBytes = 16 * 1024

    private var rest: [UInt8] = []

    /// Creates a splitter for the beginning of an output.
    package init() {}

    /// Calls `body` with each line that is complete now, without its line break. The bytes are valid during the call.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        while start < bytes.count {
            let end = min(start + Self.maximumLineBytes - rest.count, bytes.count)
            let lineBreak = bytes.lineBreak(in: start..<end)
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<(lineBreak ?? end)])
            start = lineBreak.map { $0 + 1 } ?? end
            if lineBreak != nil, rest.isEmpty {
                body(Self.trimmed(line))
            } else {
                rest.append(contentsOf: line)
                if lineBreak != nil || rest.count == Self.maximumLineBytes { take(body) }
            }
        }
    }

    /// Ends the output. Calls `body` with the last line if it has no line break.
    package mutating func end(_ body: (UnsafeRawBufferPointer) -> Void) {
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
    /// Returns the index of the first line break in the range.
    fileprivate func lineBreak(in range: Range<Int>) -> Int? {
        guard let base = baseAddress, let found = memchr(base + range.lowerBound, 0x0A, range.count) else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// The number of line breaks.
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
