#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A clock that never goes back. `ContinuousClock` is not used because it took 1 % of the CPU of `lattice-bench
/// session --only round-trips`.
package enum MonotonicTime {
    /// The nanoseconds since an unspecified point in time, without the time for which the machine sleeps.
    package static var nanoseconds: Int64 { time(CLOCK_MONOTONIC) }

    /// The nanoseconds since an unspecified point in time, including the time for which the machine sleeps. This
    /// matches `ContinuousClock`.
    package static var withSleep: Int64 {
        #if os(Linux)
        time(CLOCK_BOOTTIME)
        #else
        time(CLOCK_MONOTONIC)
        #endif
    }

    private static func time(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, limited to 292 years.
    package var nanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }
}
