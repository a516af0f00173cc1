import LatticeConcurrency

/// Access to the deadline of the current event.
public enum Deadline {
    /// The deadline of the event that the running effect belongs to, in any process, or nil if the event has none.
    ///
    /// The effect is cancelled at the deadline. Pass the deadline on to the operations that the effect starts
    /// elsewhere, for example to a request with a timeout of its own, or with an event that it sends.
    ///
    /// ```swift
    /// let limit = Deadline.current.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(60)
    /// request.timeoutInterval = limit / .seconds(1)
    /// ```
    public static var current: ContinuousClock.Instant? { MonotonicDeadline.current.moment }
}
