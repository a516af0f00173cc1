extension Duration {
    /// The maximum result in seconds. Longer durations are close to what a `Duration` can hold, and arithmetic with
    /// them traps.
    private static let maximumSeconds = 1e20

    /// Returns this duration multiplied `times` times by a factor, but at most `limit`.
    package func grown(by factor: Double, times: Int, atMost limit: Duration) -> Duration {
        var wait = self
        var grown = 0
        while factor > 1, wait > .zero, wait < limit, grown < times {
            wait = wait.scaled(by: factor, atMost: limit)
            grown += 1
        }
        return min(wait, limit)
    }

    /// Returns this duration multiplied by a factor, but at most `limit`, even if the product is more than a `Duration`
    /// can hold.
    package func scaled(by factor: Double, atMost limit: Duration) -> Duration {
        // The product is computed in seconds first, because `Duration` traps if it is too large.
        let seconds = self / .seconds(1) * factor
        guard seconds < min(limit / .seconds(1), Self.maximumSeconds) else { return limit }
        return min(self * factor, limit)
    }
}
