#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether a thread that waits for something stays awake for a while.
///
/// Waking a thread on an idle core takes 20 µs and more on virtual machines, and many an effect is over sooner. What it
/// costs is that time on one core, and in between whoever else wants the core gets it. When it was in vain the next
/// occasions are let pass, twice as many each time: who waits for something long hardly ever looks out.
package struct SpinWait: Sendable {
    /// How long it lasts at most.
    package static let limit: Duration = .microseconds(100)
    /// Occasions that are let pass at most.
    package static let longestPause = 16
    /// With one core whoever looks out keeps from running what is waited for.
    package static let isPossible = processors > 1
    static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    private var pause = 0
    private var left = 0

    package init() {}

    /// Whether to look out on this occasion; then ``record(wasWorthIt:)`` follows.
    package mutating func begins() -> Bool {
        guard Self.isPossible else { return false }
        guard left > 0 else { return true }
        left -= 1
        return false
    }

    package mutating func record(wasWorthIt: Bool) {
        pause = wasWorthIt ? 0 : min(max(1, 2 * pause), Self.longestPause)
        left = pause
    }

    /// Looks until there is something to see, or for `limit`; once in any case.
    ///
    /// - Parameter isThere: Gets the nanoseconds since some moment as `CLOCK_MONOTONIC` has them: who looks at a clock
    ///   too would do that twice for each look.
    /// - Returns: whether there was something.
    package static func look(for limit: Duration = Self.limit, until isThere: (_ time: Int64) -> Bool) -> Bool {
        var time = MonotonicTime.nanoseconds
        let end = time + limit.nanoseconds
        while !isThere(time) {
            if time >= end { return false }
            sched_yield()
            time = MonotonicTime.nanoseconds
        }
        return true
    }
}
