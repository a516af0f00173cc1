/// Of many things alike the first is logged at once, and the others together when there are no more, or not for long.
struct LogBurst: Sendable {
    /// A burst is over when nothing came for so long.
    static let quiet: Duration = .seconds(1)
    /// One that does not end is told of so often.
    static let longest: Duration = .seconds(10)

    private var times: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)?
    private var more = 0

    /// Whether more may come that are told together.
    var goesOn: Bool { times != nil }

    /// - Returns: Whether this one is to be logged.
    mutating func note(at now: ContinuousClock.Instant) -> Bool {
        guard let first = times?.first else {
            times = (now, now)
            return true
        }
        times = (first, now)
        more += 1
        return false
    }

    /// - Returns: How many came that were not logged, if it is time to say so.
    mutating func tick(now: ContinuousClock.Instant) -> Int? {
        guard let (first, last) = times else { return nil }
        let isOver = last.duration(to: now) >= Self.quiet
        guard isOver || first.duration(to: now) >= Self.longest else { return nil }
        times = isOver ? nil : (now, last)
        defer { more = 0 }
        return more > 0 ? more : nil
    }
}
