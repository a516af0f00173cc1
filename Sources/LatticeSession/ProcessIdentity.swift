#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The numbers that identify this process.
package enum ProcessIdentity {
    /// The process ID of this process.
    package static var own: Int32 { getpid() }

    /// Returns a number that identifies one run of a coordinator: the wall-clock time in nanoseconds.
    package static func makeCoordinatorID() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
