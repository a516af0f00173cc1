import LatticeConcurrency

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The lines of a worker's output that explain its end best. You can use it from any thread.
///
/// These are the last lines or, after a trap, the lines from the message of the trap on. Swift writes hundreds of lines
/// after that message.
package final class OutputTail: Sendable {
    fileprivate struct Lines {
        /// A ring buffer. When it is full, the oldest line is at `next`.
        var last: [[UInt8]] = []
        var next = 0
        /// The lines from the last message of a trap on.
        var trap: [[UInt8]] = []
        /// The number of lines since that message.
        var linesAfterTrap = 0
    }

    /// The maximum number of lines that are kept.
    static let maximumLines = 32
    /// The maximum number of bytes that are kept of a line.
    static let maximumLineBytes = 1024
    /// The maximum length of a backtrace in lines. If more lines follow the message of a trap, the worker has continued
    /// after it.
    static let maximumBacktraceLines = 1000
    /// The maximum number of lines between the message of a trap and the banner of its backtrace.
    static let maximumLinesBeforeBanner = 8

    private let kept = Locked(Lines())

    /// Creates an empty tail.
    package init() {}

    /// The lines, oldest first. Bytes that are not valid UTF-8 appear as U+FFFD.
    package var lines: [String] {
        kept.withLock { $0.trap.isEmpty ? Array($0.last[$0.next...] + $0.last[..<$0.next]) : $0.trap }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the lines that follow belong to a trap.
    var isInTrap: Bool { kept.withLock { !$0.trap.isEmpty } }

    func add(_ line: UnsafeRawBufferPointer) {
        let line = UnsafeRawBufferPointer(rebasing: line.prefix(Self.maximumLineBytes))
        // `fatalError` and failed preconditions write such a message. A backtrace begins with such a banner.
        let (isMessage, isBanner) = (line.contains("Fatal error: "), line.contains("Program crashed: "))
        // On a busy machine the runtime writes such a line, between the two, for each thread that it cannot suspend.
        let isOfRuntime = line.contains("swift-runtime: ")
        kept.withLock { $0.add(line, isMessage: isMessage, isBanner: isBanner, isOfRuntime: isOfRuntime) }
    }
}

extension OutputTail.Lines {
    mutating func add(_ line: UnsafeRawBufferPointer, isMessage: Bool, isBanner: Bool, isOfRuntime: Bool) {
        addLast(line)
        guard !isOfRuntime || trap.isEmpty else { return }
        linesAfterTrap += 1
        if isMessage || isBanner && (trap.isEmpty || linesAfterTrap > OutputTail.maximumLinesBeforeBanner) {
            trap = [[UInt8](line)]
            linesAfterTrap = 0
        } else if linesAfterTrap > OutputTail.maximumBacktraceLines {
            trap = []
        } else if !trap.isEmpty, trap.count < OutputTail.maximumLines {
            trap.append([UInt8](line))
        }
    }

    /// Adds a line in the memory of the oldest one, so that a flood of lines causes no allocations.
    private mutating func addLast(_ line: UnsafeRawBufferPointer) {
        if last.count < OutputTail.maximumLines { return last.append([UInt8](line)) }
        last[next].removeAll(keepingCapacity: true)
        last[next].append(contentsOf: line)
        next = (next + 1) % OutputTail.maximumLines
    }
}

extension UnsafeRawBufferPointer {
    /// Whether one of these lines may be the message of a trap or part of a crash report.
    var mayBeOfCrash: Bool {
        contains("Fatal error: ") || contains("Program crashed: ") || contains("*** Signal ")
            || contains("swift-runtime: ")
    }

    func contains(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard var place = baseAddress, length <= count else { return false }
        // Searches from one occurrence of the first letter to the next.
        let end = place + (count - length + 1)
        while place < end, let found = memchr(place, Int32(text.utf8Start[0]), end - place) {
            if memcmp(found, text.utf8Start, length) == 0 { return true }
            place = UnsafeRawPointer(found) + 1
        }
        return false
    }

    func starts(with text: StaticString) -> Bool {
        guard let start = baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
}
