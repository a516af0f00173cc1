import DequeModule
import LatticeConcurrency

/// The lines of a worker's output that tell the most of its end: the last ones, or those from the message of a trap on,
/// behind which Swift writes hundreds. Any thread.
package final class OutputTail: Sendable {
    private struct Lines {
        var last: Deque<[UInt8]> = []
        /// From the last message of a trap on.
        var trap: [[UInt8]]?
    }

    /// Lines that are told.
    static let mostLines = 32
    /// Bytes that are kept of one.
    static let longestLine = 1024

    /// What `fatalError`, failed preconditions and the like write, and what Swift's backtraces begin with.
    private static let messages = ["Fatal error: ", "Program crashed: "].map { Array($0.utf8) }

    private let kept = Locked(Lines())

    package init() {}

    /// Oldest first. Bytes that are no UTF-8 show as U+FFFD.
    package var lines: [String] {
        kept.withLock { $0.trap ?? Array($0.last) }.map { String(decoding: $0, as: UTF8.self) }
    }

    func add(_ line: UnsafeRawBufferPointer) {
        let line = [UInt8](line.prefix(Self.longestLine))
        kept.withLock { kept in
            if kept.last.count == Self.mostLines { kept.last.removeFirst() }
            kept.last.append(line)
            // The backtrace of a trap belongs to its message.
            if line.contains(Self.messages[0]) || kept.trap == nil && line.contains(Self.messages[1]) {
                kept.trap = [line]
            } else if let count = kept.trap?.count, count < Self.mostLines {
                kept.trap?.append(line)
            }
        }
    }
}
