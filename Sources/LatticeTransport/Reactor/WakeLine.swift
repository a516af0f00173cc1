import CLatticeSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A descriptor that becomes readable when another thread says so: an eventfd, or a pipe where there is none.
final class WakeLine: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws(TransportError) {
        var ends: [Int32] = [-1, -1]
        guard lattice_wake_line(&ends) == 0 else { throw .system("make a wake-up line", lattice_errno()) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// A full line is as good as one more signal, so the result does not matter.
    func signal() {
        var one: UInt64 = 1
        while write(writing, &one, MemoryLayout.size(ofValue: one)) == -1, lattice_errno() == EINTR {}
    }

    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { buffer in
            while read(reading, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }

    deinit {
        System.close(reading)
        if writing != reading { System.close(writing) }
    }
}
