/// Measures how long the oldest call of a session has had no answer, without storing a time for each call. It does no
/// I/O.
///
/// Calls are numbered in the order in which they are sent. Each check records the number of the last call and the time.
/// A later check then knows that an older call was sent before that time.
struct CallAge {
    private var looks: [(last: UInt64, time: ContinuousClock.Instant)] = []

    /// Records the state of the calls and returns the age of the oldest one.
    ///
    /// - Parameters:
    ///   - oldest: The number of the oldest call without an answer, or `nil` if there is none.
    ///   - last: The number of the last call that was sent.
    ///   - now: The current instant.
    /// - Returns: The minimum time for which the oldest call has had no answer.
    mutating func look(oldest: UInt64?, last: UInt64, at now: ContinuousClock.Instant) -> Duration {
        guard let oldest else {
            looks = []
            return .zero
        }
        looks.removeAll { $0.last < oldest }
        if looks.last?.last != last { looks.append((last, now)) }
        return looks.first.map { $0.time.duration(to: now) } ?? .zero
    }
}
