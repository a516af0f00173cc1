/// Since when a worker that does not answer has not come to the end of a turn either.
///
/// What it has read it handles event by event, and a ping waits behind them: as long as turns begin and end it works.
struct TurnProgress: Sendable, Equatable {
    /// As ``TurnRecord`` counts.
    private var number: UInt64
    private var since: ContinuousClock.Instant

    init(number: UInt64 = 0, since: ContinuousClock.Instant = .now) {
        self.number = number
        self.since = since
    }

    /// Compares with what was found before.
    ///
    /// - Returns: For how long nothing has changed.
    mutating func look(at number: UInt64, now: ContinuousClock.Instant) -> Duration {
        guard number == self.number else {
            self = TurnProgress(number: number, since: now)
            return .zero
        }
        return since.duration(to: now)
    }
}
