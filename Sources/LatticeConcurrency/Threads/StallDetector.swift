/// A detector that measures for how long a counter has not changed, by comparing samples of it.
package struct StallDetector: Sendable, Equatable {
    private var count: UInt64
    private var since: ContinuousClock.Instant

    /// Creates a detector with a first sample.
    package init(at count: UInt64 = 0, since: ContinuousClock.Instant = .now) {
        self.count = count
        self.since = since
    }

    /// Compares a new sample with the last one.
    ///
    /// - Returns: The time for which the counter has not changed.
    package mutating func look(at count: UInt64, now: ContinuousClock.Instant) -> Duration {
        guard count == self.count else {
            self = StallDetector(at: count, since: now)
            return .zero
        }
        return since.duration(to: now)
    }
}
