/// The time after which the result of an event, of a call or of a task is no longer needed, or ``never``.
///
/// On the wire, a deadline is the remaining time, because the clocks of processes differ. Each process on the way
/// converts it to an instant of its own monotonic clock.
///
/// A deadline is one number. The compiler does not know the size of `ContinuousClock.Instant?`. Types that contain one
/// are copied by functions that the runtime looks up, and `lattice-bench session --only events` took 8 % more CPU
/// with one in the context of each event.
package struct MonotonicDeadline: Sendable, Hashable, Comparable {
    /// The instant on the monotonic clock, or `Int64.max` for no deadline. Most events have none.
    private let nanoseconds: Int64

    /// One instant on both clocks, by which a deadline is converted to the other clock and back without a change.
    private static let anchor = Anchor()

    private struct Anchor {
        private(set) var instant: ContinuousClock.Instant
        private(set) var nanoseconds: Int64

        /// Reads both clocks several times and keeps the reading that took the least time, because the thread can lose
        /// its core between the two.
        init() {
            var least = Int64.max
            (instant, nanoseconds) = (.now, 0)
            for _ in 0..<8 {
                let (before, now) = (MonotonicTime.withSleep, ContinuousClock.now)
                let gap = MonotonicTime.withSleep - before
                guard gap < least else { continue }
                (least, instant, nanoseconds) = (gap, now, before + gap / 2)
            }
        }
    }

    private init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// No deadline.
    package static let never = MonotonicDeadline(nanoseconds: .max)

    /// The time after which the result of the running task is no longer needed.
    @TaskLocal package static var current = MonotonicDeadline.never

    /// Creates a deadline at an instant.
    package init(_ moment: ContinuousClock.Instant) {
        self.init(Self.anchor.nanoseconds, plus: Self.anchor.instant.duration(to: moment))
    }

    /// Creates a deadline from the remaining time.
    ///
    /// - Parameter left: The time from now until the deadline.
    package init(in left: Duration) {
        self.init(MonotonicTime.withSleep, plus: left)
    }

    private init(_ start: Int64, plus duration: Duration) {
        let (moment, overflow) = start.addingReportingOverflow(duration.nanoseconds)
        self.init(nanoseconds: overflow ? .max : max(moment, 0))
    }

    /// Creates a deadline from the remaining time in a message that has just arrived. Nil means no deadline.
    package init(leftMilliseconds: UInt64?) {
        guard let leftMilliseconds else {
            self = .never
            return
        }
        self.init(in: .milliseconds(Int64(clamping: leftMilliseconds)))
    }

    /// The remaining time for a message that is sent now, in milliseconds. It is rounded up so that the receiver does
    /// not place the deadline too early. Nil if there is no deadline.
    package var leftMilliseconds: UInt64? {
        left.map { UInt64(clamping: ($0.nanoseconds + 999_999) / 1_000_000) }
    }

    /// The time from now until the deadline, at least zero. Nil if there is no deadline.
    package var left: Duration? {
        self == .never ? nil : .nanoseconds(max(nanoseconds - MonotonicTime.withSleep, 0))
    }

    /// The deadline on the clock that effects use. Nil if there is no deadline.
    package var moment: ContinuousClock.Instant? {
        guard self != .never else { return nil }
        return Self.anchor.instant + .nanoseconds(nanoseconds - Self.anchor.nanoseconds)
    }

    /// A Boolean value that indicates whether the deadline has passed.
    package var hasPassed: Bool { self != .never && nanoseconds <= MonotonicTime.withSleep }

    package static func < (left: MonotonicDeadline, right: MonotonicDeadline) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
