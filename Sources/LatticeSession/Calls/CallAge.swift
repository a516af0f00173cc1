/// How long the oldest call of a session has had no answer, without a time for each call. It does no I/O.
///
/// Calls are numbered as they are sent. Each look notes the number of the last call, so a later look knows when a call
/// had been sent at the latest.
struct CallAge {
    private var looks: [(last: UInt64, time: ContinuousClock.Instant)] = []

    /// - Parameters:
    ///   - oldest: The number of the oldest call without an answer; nil: there is none.
    ///   - last: The number of the last call that was sent.
    /// - Returns: For how long the oldest call has had no answer, at least.
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
