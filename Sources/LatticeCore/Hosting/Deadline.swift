import LatticeConcurrency

/// Until when somebody has a use for what is done.
public enum Deadline {
    /// The deadline of the event that the running effect belongs to, in whatever process it runs; nil if it has none.
    ///
    /// At that moment the effect is cancelled. Hand it on to what it asks for elsewhere: to a request with a limit of
    /// its own, or with an event that it sends.
    ///
    /// ```swift
    /// let limit = Deadline.current.map { ContinuousClock.now.duration(to: $0) } ?? .seconds(60)
    /// request.timeoutInterval = limit / .seconds(1)
    /// ```
    public static var current: ContinuousClock.Instant? { TaskDeadline.current }
}
