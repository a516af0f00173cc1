extension Duration {
    /// No wait is longer: more seconds than these are close to what a `Duration` can hold, where arithmetic traps.
    private static let longestSeconds = 1e20

    /// The wait that this one becomes when it has grown so many times, at most `limit`.
    package func grown(by factor: Double, times: Int, atMost limit: Duration) -> Duration {
        var wait = self
        var grown = 0
        while factor > 1, wait > .zero, wait < limit, grown < times {
            wait = wait.scaled(by: factor, atMost: limit)
            grown += 1
        }
        return min(wait, limit)
    }

    /// This wait times `factor`, at most `limit`: also where the product is more than a `Duration` can hold.
    package func scaled(by factor: Double, atMost limit: Duration) -> Duration {
        // As seconds first, since `Duration` traps where its product is too large.
        let seconds = self / .seconds(1) * factor
        guard seconds < min(limit / .seconds(1), Self.longestSeconds) else { return limit }
        return min(self * factor, limit)
    }
}
