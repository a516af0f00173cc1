import LatticeConcurrency
package import LatticeWire

/// The time after which an event is rejected if it is not yet applied, and its effects are cancelled if they still run.
///
/// On the wire, a deadline is the remaining time, because the clocks of processes differ. Each process on the way
/// converts it to an instant of its own monotonic clock.
package struct EventDeadline: Sendable, Hashable {
    /// The instant on the monotonic clock, or `Int64.max` for no deadline. Most events have none. A plain number makes
    /// each kept event smaller than an optional would.
    private let nanoseconds: Int64

    private init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// No deadline.
    package static let never = EventDeadline(nanoseconds: .max)

    /// Creates a deadline at an instant.
    package init(_ moment: ContinuousClock.Instant) {
        self.init(in: ContinuousClock.now.duration(to: moment))
    }

    /// Creates a deadline from the remaining time.
    ///
    /// - Parameter left: The time from now until the deadline.
    package init(in left: Duration) {
        let (moment, overflow) = MonotonicTime.withSleep.addingReportingOverflow(left.nanoseconds)
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
    package var moment: ContinuousClock.Instant? { left.map { ContinuousClock.now + $0 } }

    /// A Boolean value that indicates whether the deadline has passed.
    package var hasPassed: Bool { self != .never && nanoseconds <= MonotonicTime.withSleep }
}

extension WireOutcome {
    /// The outcome of an event that was not applied before its deadline. `EventRejection.deadlinePassed` of LatticeCore
    /// has the same sentence. This module cannot import LatticeCore.
    package static let deadlinePassed = WireOutcome.rejected(
        code: .deadline,
        reason: "The deadline passed before the event was applied. Send it with a later deadline."
    )
}
