/// Repeats what may take much longer on one machine than on another.
enum Rounds {
    /// How long one measurement may take; it ends early then.
    private static let limit: Duration = .seconds(8)
    /// So many rounds there are in any case.
    private static let minimum = 3

    /// Times each round.
    /// - Parameter body: Called with the number of the round, from 0 on.
    /// - Returns: The times, and how many rounds there were.
    @MainActor @discardableResult
    static func run(
        _ count: Int,
        _ body: @MainActor (Int) async throws -> Void
    ) async throws -> (latencies: Latencies, count: Int) {
        var latencies = Latencies()
        let beginning = SuspendingClock.now
        for round in 0..<count {
            try Task.checkCancellation()
            let start = SuspendingClock.now
            try await body(round)
            latencies.record(start.duration(to: .now))
            if round + 1 >= minimum, beginning.duration(to: .now) > limit { return (latencies, round + 1) }
        }
        return (latencies, count)
    }
}
