/// A limiter for similar log messages. The first message of a burst is logged at once. The others are counted and
/// logged together when the burst ends, or at intervals if it does not end.
struct LogBurst: Sendable {
    /// The time without a further message after which a burst is over.
    static let quiet: Duration = .seconds(1)
    /// The interval at which a burst that does not end is reported.
    static let maximumDuration: Duration = .seconds(10)

    private var times: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
    private var more = 0

    /// Whether a burst is in progress, so that further messages are counted.
    var isActive: Bool { times != nil }

    /// Notes a message.
    ///
    /// - Returns: Whether this message is to be logged.
    mutating func note(at now: ContinuousClock.Instant) -> Bool {
        guard let first = times?.first else {
            times = (now, now)
            return true
        }
        times = (first, now)
        more += 1
        return false
    }

    /// Returns the number of messages that were not logged, if it is time to report it. Otherwise returns nil.
    mutating func tick(now: ContinuousClock.Instant) -> Int? {
        guard let (first, last) = times else { return nil }
        let isOver = last.duration(to: now) >= Self.quiet
        guard isOver || first.duration(to: now) >= Self.maximumDuration else { return nil }
        times = isOver ? nil : (now, last)
        defer { more = 0 }
        return more > 0 ? more : nil
    }
}
