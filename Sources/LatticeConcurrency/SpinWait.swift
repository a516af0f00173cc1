#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A policy that decides whether a waiting thread spins for a while before it sleeps.
///
/// Waking a thread on an idle core takes 20 µs or more on virtual machines, and many effects end sooner. The cost of
/// spinning is that time on one core, and other threads that want the core get it in between. After an unsuccessful
/// spin, the policy skips the next occasions, and doubles their number each time. A thread whose waits are long
/// therefore hardly ever spins.
package struct SpinWait: Sendable {
    /// The maximum duration of a spin.
    package static let limit: Duration = .microseconds(100)
    /// The maximum number of occasions that are skipped.
    package static let longestPause: UInt8 = 16
    /// A Boolean value that indicates whether spinning makes sense. With a single core, a spinning thread would only
    /// delay the thread that it waits for.
    package static let isPossible = processors > 1
    /// The number of processors that are online.
    static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

    private var pause: UInt8 = 0
    private var left: UInt8 = 0

    /// Creates a policy that spins on the first occasion.
    package init() {}

    /// Returns a Boolean value that indicates whether to spin on this occasion. If it is true, call
    /// ``record(wasWorthIt:)`` afterwards.
    package mutating func begins() -> Bool {
        guard Self.isPossible else { return false }
        guard left > 0 else { return true }
        left -= 1
        return false
    }

    /// Records the result of a spin.
    ///
    /// - Parameter wasWorthIt: Whether the awaited event happened during the spin.
    package mutating func record(wasWorthIt: Bool) {
        pause = wasWorthIt ? 0 : min(max(1, 2 * pause), Self.longestPause)
        left = pause
    }

    /// Spins until a condition holds or a time limit has passed. Checks the condition at least once.
    ///
    /// - Parameters:
    ///   - limit: The maximum duration.
    ///   - isThere: The condition. Its argument is the current time of `CLOCK_MONOTONIC` in nanoseconds, so that
    ///     conditions that need the time do not read the clock a second time.
    /// - Returns: A Boolean value that indicates whether the condition held.
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
