import LatticeConcurrency
import LatticeWire

/// The limits of one subscription, as its tool has asked for them, within the bounds of this coordinator.
struct SubscriptionLimits: Sendable, Equatable {
    /// The allowed times between two descriptions. A person does not read faster, and a process that has to know more
    /// observes events.
    static let intervals: ClosedRange<UInt32> = 100...3_600_000
    /// The allowed numbers of bytes in a second. With fewer, a page of the maximum size would take more than 4 minutes.
    static let rates: ClosedRange<UInt32> = 1_024...16_777_216
    /// The number of bytes in a second if the tool does not say it: one page of the maximum size.
    static let typicalRate: UInt32 = 262_144
    /// The allowed numbers of unwritten bytes.
    static let queues: ClosedRange<UInt32> = 0...1_048_576
    /// The number of unwritten bytes if the tool does not say it.
    static let typicalQueue: UInt32 = 65_536

    /// The time between two descriptions.
    let interval: Duration
    /// The number of bytes in a second.
    let bytesPerSecond: Int
    /// The number of unwritten bytes of the session above which the subscription waits.
    let queueBytes: Int

    /// Creates the limits of a request. Values outside the bounds are replaced by the nearest ones inside.
    init(_ request: DescribeMessage) {
        interval = .milliseconds(Self.intervals.nearest(request.intervalMilliseconds ?? Self.intervals.lowerBound))
        bytesPerSecond = Int(Self.rates.nearest(request.bytesPerSecond ?? Self.typicalRate))
        queueBytes = Int(Self.queues.nearest(request.queueBytes ?? Self.typicalQueue))
    }
}

extension ClosedRange<UInt32> {
    fileprivate func nearest(_ value: UInt32) -> UInt32 { Swift.min(Swift.max(value, lowerBound), upperBound) }
}

/// The state machine that decides when a subscription sends its next description. It performs no I/O.
///
/// - *beginning*: the first description is built at once, like the answer to a single request.
/// - *waiting*: the next description is built when its time has come. Intervals count from the beginning of the last
///   one.
/// - *building*: a description is being built, or waits for room in the session.
/// - *ended*: no further description is due.
///
/// A description is due after each interval. If the budget of bytes is used up, or if more bytes of the session are
/// unwritten than its tool allows, the description is left out. The next one is built when the budget allows it, and
/// at least a second later. It contains all changes, and says how many intervals it stands for.
struct SubscriptionPace: Sendable {
    /// What to do after an input.
    enum Output: Equatable {
        /// Build a description and send it. Report with `sent` that the session has taken it.
        case build(folded: UInt64)
        /// Call `due` at this time.
        case wait(until: ContinuousClock.Instant)
    }

    private enum State {
        case beginning
        case waiting(since: ContinuousClock.Instant)
        case building(since: ContinuousClock.Instant)
        case ended
    }

    /// The time between two descriptions that are folded.
    static let foldedInterval: Duration = .seconds(1)
    /// The bounds of the time between the end of one description and the next one. Within these bounds it is the time
    /// that the description took, so that a section with many rows occupies a thread for half of the time at most.
    static let pauses: ClosedRange<Duration> = .milliseconds(50) ... .seconds(1)

    private let limits: SubscriptionLimits
    private var state = State.beginning
    /// The time at which the budget allows the next description.
    private var allowedAt: ContinuousClock.Instant

    init(_ limits: SubscriptionLimits, now: ContinuousClock.Instant) {
        self.limits = limits
        allowedAt = now
    }

    /// Handles the time at which a description is due.
    ///
    /// - Parameter unwritten: The number of bytes that the session has not written.
    mutating func due(at now: ContinuousClock.Instant, unwritten: Int) -> Output? {
        let folded: Double
        switch state {
        case .building, .ended: return nil
        case .beginning: folded = 0
        // However long the interval is, because looking costs nothing.
        case .waiting where unwritten > limits.queueBytes: return .wait(until: now + Self.foldedInterval)
        case .waiting(let last): folded = max(0, last.duration(to: now) / limits.interval - 1)
        }
        state = .building(since: now)
        return .build(folded: UInt64(folded))
    }

    /// Handles a description that the session has taken.
    ///
    /// - Parameter bytes: The number of bytes of the description.
    mutating func sent(_ bytes: Int, at now: ContinuousClock.Instant) -> Output? {
        guard case .building(let start) = state else { return nil }
        state = .waiting(since: start)
        allowedAt = max(allowedAt, start) + .nanoseconds(bytes * 1_000_000_000 / limits.bytesPerSecond)
        let pause = min(max(start.duration(to: now), Self.pauses.lowerBound), Self.pauses.upperBound)
        var next = max(start + limits.interval, now + pause)
        if allowedAt > next { next = max(allowedAt, start + Self.foldedInterval) }
        return .wait(until: next)
    }

    /// Ends the subscription.
    ///
    /// - Returns: Whether it had not ended yet.
    mutating func end() -> Bool {
        if case .ended = state { return false }
        state = .ended
        return true
    }
}
