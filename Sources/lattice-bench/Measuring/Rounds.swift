/// Repeats operations that may take much longer on some machines.
enum Rounds {
    /// The time after which a measurement ends early.
    private static let timeout: Duration = .seconds(8)
    /// The minimum number of rounds.
    private static let minimum = 3

    /// Measures each round.
    /// - Parameters:
    ///   - count: The maximum number of rounds.
    ///   - body: Runs a round. Its argument is the number of the round, starting with 0.
    /// - Returns: The times, and the number of rounds.
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
            if round + 1 >= minimum, beginning.duration(to: .now) > timeout { return (latencies, round + 1) }
        }
        return (latencies, count)
    }
}
