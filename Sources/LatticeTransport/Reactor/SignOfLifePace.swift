/// When a thread that a large value holds up gives signs of life: in a tick that has taken long already, and no more
/// often than they are good for.
///
/// Time comes in as an argument, counted from any moment: an instant has no size that is known ahead, and each tick
/// begins here.
struct SignOfLifePace: Sendable, Equatable {
    /// Nobody can be asked to wait for less.
    static let pause: Duration = .milliseconds(10)
    /// So many times as long as giving them took is spent on the value before the next ones.
    static let share = 9

    /// nil: not in this tick yet.
    private var next: Duration?

    mutating func tickBegins() {
        next = nil
    }

    /// Whether signs are due. The first look in a tick only begins to count.
    mutating func isDue(_ now: Duration) -> Bool {
        guard let next else {
            self.next = now + Self.pause
            return false
        }
        return now >= next
    }

    mutating func gave(from start: Duration, to end: Duration) {
        next = end + max(Self.pause, (end - start) * Self.share)
    }
}
