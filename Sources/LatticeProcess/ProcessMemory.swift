import CLatticeSystem
import LatticeConcurrency
import LatticeTransport

/// The memory of a process: the pages that it has written to, in memory or swapped out. Mapped files do not count,
/// because the system can drop them and read them again.
///
/// On Linux it keeps one descriptor open, so that the next measurement does not depend on a free descriptor.
package final class ProcessMemory: Sendable {
    private let process: Int32
    private let file = Locked<OwnedDescriptor?>(nil)

    /// A Boolean value that indicates whether the system tells this process the memory of processes.
    package static var isKnown: Bool {
        ProcessMemory(of: System.processID).bytes() != nil
    }

    /// Creates a meter for a process.
    package init(of process: Int32) {
        self.process = process
    }

    /// Returns the present number of bytes; nil if the process has ended, or if the number is not available at the
    /// moment.
    package func bytes() -> Int? {
        #if os(Linux)
        let file = file.withLock { file -> OwnedDescriptor in
            // Tried again if no descriptor was free the last time.
            if let file, file.number >= 0 { return file }
            let opened = OwnedDescriptor(lattice_open_status(process))
            file = opened
            return opened
        }
        // Larger only for a user with a thousand groups.
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { text in
            let count = pread(file.number, text.baseAddress, text.count, 0)
            return count < 0 ? nil : Self.bytes(inStatus: UnsafeRawBufferPointer(rebasing: text.prefix(count)))
        }
        #else
        let bytes = lattice_footprint(process)
        return bytes < 0 ? nil : Int(clamping: bytes)
        #endif
    }

    /// Parses the text that Linux provides for a process, with lines such as `RssAnon:     2048 kB`.
    ///
    /// - Returns: The number of bytes, or nil if the process has no memory any more.
    static func bytes(inStatus text: some Collection<UInt8>) -> Int? {
        var resident: Int?
        var own: Int?
        var swapped = 0
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // Other lines are ignored and may contain any bytes, such as the name of the program.
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let bytes = kilobytes(line[colon...]) else {
                continue
            }
            switch String(decoding: line[..<colon], as: UTF8.self) {
            case "VmRSS": resident = bytes
            case "RssAnon", "RssShmem": own = (own ?? 0) + bytes
            case "VmSwap": swapped = bytes
            default: break
            }
        }
        // Some containers only report all resident memory.
        return (own ?? resident).map { $0 + swapped }
    }

    /// Parses a number of kilobytes.
    ///
    /// - Parameter text: The text after a name, from the colon on.
    /// - Returns: The number of bytes, or nil if the text is not a number of kilobytes.
    private static func kilobytes(_ text: some Collection<UInt8>) -> Int? {
        let words = text.dropFirst().split { [UInt8(ascii: " "), UInt8(ascii: "\t")].contains($0) }
        guard words.count == 2, words[1].elementsEqual("kB".utf8) else { return nil }
        let (bytes, isTooMuch) = (Int(String(decoding: words[0], as: UTF8.self)) ?? -1)
            .multipliedReportingOverflow(by: 1024)
        return isTooMuch || bytes < 0 ? nil : bytes
    }
}
