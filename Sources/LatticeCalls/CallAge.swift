/// Measures how long the oldest call of a session has had no answer, without storing a time for each call. It does no
/// I/O.
///
/// Calls are numbered in the order in which they are sent. Each check records the number of the last call and the time.
/// A later check then knows that an older call was sent before that time.
struct CallAge {
    /// The maximum number of checks that are remembered. Beyond it every second one is forgotten.
    static let maximumLooks = 64
    /// The checks that are remembered are at least one part of this many apart, of the time since the first of them.
    /// So the age of a call is known to about a sixteenth of that time, however often it is checked.
    private static let resolution = 32

    private(set) var looks: [(last: UInt64, time: ContinuousClock.Instant)] = []

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
        if isWorthKeeping(last, at: now) {
            if looks.count == Self.maximumLooks {
                looks = stride(from: 0, to: looks.count, by: 2).map { looks[$0] }
            }
            looks.append((last, now))
        }
        return looks.first.map { $0.time.duration(to: now) } ?? .zero
    }

    private func isWorthKeeping(_ last: UInt64, at now: ContinuousClock.Instant) -> Bool {
        guard let oldest = looks.first, let newest = looks.last else { return true }
        return newest.last != last
            && newest.time.duration(to: now) >= oldest.time.duration(to: now) / Self.resolution
    }
}
