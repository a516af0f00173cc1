import CLatticeSystem
import LatticeConcurrency

/// How much memory a process has for itself: what it has written to, in memory or swapped out. Files that it has mapped
/// do not count, since the system can drop them and read them again.
///
/// On Linux one descriptor is kept, so that nobody else's use of descriptors is in the way of the next look.
package final class ProcessMemory: Sendable {
    private let process: Int32
    private let file = Locked<OwnedDescriptor?>(nil)

    /// Whether the system tells this process how much memory processes have.
    package static var isKnown: Bool {
        ProcessMemory(of: System.processID).bytes() != nil
    }

    package init(of process: Int32) {
        self.process = process
    }

    /// How many bytes it has now; nil: it has ended, or that cannot be told at the moment.
    package func bytes() -> Int? {
        #if os(Linux)
        let file = file.withLock { file -> OwnedDescriptor in
            // Tried again where there was no descriptor.
            if let file, file.number >= 0 { return file }
            let opened = OwnedDescriptor(lattice_open_status(process))
            file = opened
            return opened
        }
        // Longer only for somebody with a thousand groups.
        return withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { text in
            let count = pread(file.number, text.baseAddress, text.count, 0)
            return count < 0 ? nil : Self.bytes(inStatus: UnsafeRawBufferPointer(rebasing: text.prefix(count)))
        }
        #else
        let bytes = lattice_footprint(process)
        return bytes < 0 ? nil : Int(clamping: bytes)
        #endif
    }

    /// Reads what Linux writes of a process: lines such as `RssAnon:     2048 kB`.
    ///
    /// - Returns: nil: it has no memory any more.
    static func bytes(inStatus text: some Collection<UInt8>) -> Int? {
        var resident: Int?
        var own: Int?
        var swapped = 0
        for line in text.split(separator: UInt8(ascii: "\n")) {
            // Other lines are not for us, and may have any bytes: the name of the program is one.
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
        // Some containers tell only of all that is resident.
        return (own ?? resident).map { $0 + swapped }
    }

    /// - Parameter text: What stands behind a name, from the colon on.
    /// - Returns: As bytes; nil for what is not a number of kilobytes.
    private static func kilobytes(_ text: some Collection<UInt8>) -> Int? {
        let words = text.dropFirst().split { [UInt8(ascii: " "), UInt8(ascii: "\t")].contains($0) }
        guard words.count == 2, words[1].elementsEqual("kB".utf8) else { return nil }
        let (bytes, isTooMuch) = (Int(String(decoding: words[0], as: UTF8.self)) ?? -1)
            .multipliedReportingOverflow(by: 1024)
        return isTooMuch || bytes < 0 ? nil : bytes
    }
}
