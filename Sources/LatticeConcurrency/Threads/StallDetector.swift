/// Since when a count has not changed, by looks at it from time to time.
package struct StallDetector: Sendable, Equatable {
    private var count: UInt64
    private var since: ContinuousClock.Instant

    package init(at count: UInt64 = 0, since: ContinuousClock.Instant = .now) {
        self.count = count
        self.since = since
    }

    /// Compares with what was found before.
    ///
    /// - Returns: For how long nothing has changed.
    package mutating func look(at count: UInt64, now: ContinuousClock.Instant) -> Duration {
        guard count == self.count else {
            self = StallDetector(at: count, since: now)
            return .zero
        }
        return since.duration(to: now)
    }
}
