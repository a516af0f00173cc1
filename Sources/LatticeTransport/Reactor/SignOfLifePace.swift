/// Decides when a thread that is busy with a large value sends signs of life: in a tick that has taken long, and no
/// more often than is useful.
///
/// The time is an argument, counted from any moment, because the size of an instant is not known in advance and each
/// tick begins here.
struct SignOfLifePace: Sendable, Equatable {
    /// The minimum time between two signs of life. No peer has a shorter timeout.
    static let pause: Duration = .milliseconds(10)
    /// The time that is spent on the value before the next signs of life, as a multiple of the time that sending them
    /// took.
    static let share = 9

    /// The time of the next signs of life; nil if the time is not counted in this tick yet.
    private var next: Duration?

    mutating func tickBegins() {
        next = nil
    }

    /// Returns whether signs of life are due. The first call in a tick only begins to count the time.
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
