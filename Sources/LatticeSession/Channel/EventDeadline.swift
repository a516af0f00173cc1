import LatticeConcurrency
package import LatticeWire

/// Until when who sent an event has a use for it: what is not applied by then never is, and what it has started is
/// cancelled then.
///
/// It travels as the time that is left, since clocks differ; each process on the way has a moment of its own clock.
package struct EventDeadline: Sendable, Hashable {
    /// As most events have none, a number and no optional, which would make each event larger that is kept.
    private let nanoseconds: Int64

    private init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static let never = EventDeadline(nanoseconds: .max)

    package init(_ moment: ContinuousClock.Instant) {
        self.init(in: ContinuousClock.now.duration(to: moment))
    }

    /// - Parameter left: From now on.
    package init(in left: Duration) {
        let (moment, overflow) = MonotonicTime.withSleep.addingReportingOverflow(left.nanoseconds)
        self.init(nanoseconds: overflow ? .max : max(moment, 0))
    }

    /// As a message has it that has just come; nil: never.
    package init(leftMilliseconds: UInt64?) {
        guard let leftMilliseconds else {
            self = .never
            return
        }
        self.init(in: .milliseconds(Int64(clamping: leftMilliseconds)))
    }

    /// As a message has it that goes out now: rounded up, so that nobody takes it for earlier than it is; nil: never.
    package var leftMilliseconds: UInt64? {
        left.map { UInt64(clamping: ($0.nanoseconds + 999_999) / 1_000_000) }
    }

    /// The time from now on, not below zero; nil: for ever.
    package var left: Duration? {
        self == .never ? nil : .nanoseconds(max(nanoseconds - MonotonicTime.withSleep, 0))
    }

    /// The same on the clock that effects know; nil: never.
    package var moment: ContinuousClock.Instant? { left.map { ContinuousClock.now + $0 } }

    package var hasPassed: Bool { self != .never && nanoseconds <= MonotonicTime.withSleep }
}

extension WireOutcome {
    /// How an event ends that was not applied before its deadline.
    package static let deadlinePassed = WireOutcome.rejected(
        code: .deadline,
        reason: "the deadline passed before the event was applied; send it with a later one"
    )
}
