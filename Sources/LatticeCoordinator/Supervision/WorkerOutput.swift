import Logging

/// Makes log lines of what a worker writes to its standard output or error. Bytes that are no UTF-8 show as U+FFFD.
final class WorkerOutput: @unchecked Sendable {
    // Unchecked: the event loop's thread alone calls it.

    private let logger: Logger
    private let level: Logger.Level
    private let queue: QueuedLogHandler?
    private let tail: OutputTail?
    private var lines = LineSplitter()

    /// - Parameter tail: Keeps the last lines, whatever becomes of the log.
    init(to logger: Logger, at level: Logger.Level, keepingIn tail: OutputTail? = nil) {
        self.tail = tail
        self.logger = logger
        self.level = level
        queue = logger.handler as? QueuedLogHandler
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        lines.feed(bytes) { log($0) }
    }

    func ended(_ error: (any Error)?) {
        lines.end { log($0) }
        if let error { logger.warning("the worker's output cannot be read: \(error)") }
    }

    private func log(_ line: UnsafeRawBufferPointer) {
        tail?.add(line)
        guard logger.logLevel <= level else { return }
        // A text is only made if there is room for it: a flood costs little.
        if let queue, queue.queue.drops(bytes: line.count, from: queue.origin) { return }
        logger.log(level: level, "\(String(decoding: line, as: UTF8.self))")
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
            let lineBreak = bytes[start..<end].firstIndex(of: UInt8(ascii: "\n"))
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
