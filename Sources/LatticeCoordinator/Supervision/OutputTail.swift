import LatticeConcurrency

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The lines of a worker's output that tell the most of its end: the last ones, or those from the message of a trap on,
/// behind which Swift writes hundreds. Any thread.
package final class OutputTail: Sendable {
    fileprivate struct Lines {
        /// A ring: the oldest is at `next`, once it is full.
        var last: [[UInt8]] = []
        var next = 0
        /// From the last message of a trap on.
        var trap: [[UInt8]] = []
        /// Lines that have come behind that message.
        var behindTrap = 0
    }

    /// Lines that are told.
    static let maximumLines = 32
    /// Bytes that are kept of one.
    static let longestLine = 1024
    /// After so many lines a message was not the last word: backtraces are shorter.
    static let longestBacktrace = 1000
    /// The banner of a backtrace stands so close behind the message of its trap.
    static let maximumLinesBeforeBanner = 8

    private let kept = Locked(Lines())

    package init() {}

    /// Oldest first. Bytes that are no UTF-8 show as U+FFFD.
    package var lines: [String] {
        kept.withLock { $0.trap.isEmpty ? Array($0.last[$0.next...] + $0.last[..<$0.next]) : $0.trap }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether lines that follow belong to a trap.
    var isInTrap: Bool { kept.withLock { !$0.trap.isEmpty } }

    func add(_ line: UnsafeRawBufferPointer) {
        let line = UnsafeRawBufferPointer(rebasing: line.prefix(Self.longestLine))
        // What `fatalError`, failed preconditions and the like write, and what a backtrace begins with.
        let (isMessage, isBanner) = (line.contains("Fatal error: "), line.contains("Program crashed: "))
        // Between the two, on a busy machine, for each thread that it cannot stop.
        let isOfRuntime = line.contains("swift-runtime: ")
        kept.withLock { $0.add(line, isMessage: isMessage, isBanner: isBanner, isOfRuntime: isOfRuntime) }
    }
}

extension OutputTail.Lines {
    mutating func add(_ line: UnsafeRawBufferPointer, isMessage: Bool, isBanner: Bool, isOfRuntime: Bool) {
        addLast(line)
        guard !isOfRuntime || trap.isEmpty else { return }
        behindTrap += 1
        if isMessage || isBanner && (trap.isEmpty || behindTrap > OutputTail.maximumLinesBeforeBanner) {
            trap = [[UInt8](line)]
            behindTrap = 0
        } else if behindTrap > OutputTail.longestBacktrace {
            trap = []
        } else if !trap.isEmpty, trap.count < OutputTail.maximumLines {
            trap.append([UInt8](line))
        }
    }

    /// In the memory of the oldest: a flood costs little.
    private mutating func addLast(_ line: UnsafeRawBufferPointer) {
        if last.count < OutputTail.maximumLines { return last.append([UInt8](line)) }
        last[next].removeAll(keepingCapacity: true)
        last[next].append(contentsOf: line)
        next = (next + 1) % OutputTail.maximumLines
    }
}

extension UnsafeRawBufferPointer {
    /// Whether a line in these bytes may be the message of a trap, or of the report of a crash.
    var mayBeOfCrash: Bool {
        contains("Fatal error: ") || contains("Program crashed: ") || contains("*** Signal ")
            || contains("swift-runtime: ")
    }

    func contains(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard var place = baseAddress, length <= count else { return false }
        // From one first letter to the next.
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
