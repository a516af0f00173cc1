/// When a thread that a large value holds up gives signs of life: in a tick that has taken long already, and no more
/// often than they are good for.
///
/// Time comes in as an argument, so it is tested by reading instants.
struct SignOfLifePace: Sendable, Equatable {
    /// Nobody can be asked to wait for less.
    static let pause: Duration = .milliseconds(10)
    /// So many times as long as giving them took is spent on the value before the next ones.
    static let share = 9

    /// nil: not in this tick yet.
    private var next: ContinuousClock.Instant?

    mutating func tickBegins() {
        next = nil
    }

    /// Whether signs are due. The first look in a tick only begins to count.
    mutating func isDue(_ now: ContinuousClock.Instant) -> Bool {
        guard let next else {
            self.next = now + Self.pause
            return false
        }
        return now >= next
    }

    mutating func gave(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) {
        next = end + max(Self.pause, start.duration(to: end) * Self.share)
    }
}
