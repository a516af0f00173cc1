#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Who this process is.
package enum ProcessIdentity {
    package static var own: Int32 { getpid() }

    /// A number for one life of a coordinator: nanoseconds of the wall clock.
    package static func makeLife() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
