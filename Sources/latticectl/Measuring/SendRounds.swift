/// Times what is too short for the clock: a thousand at once, in rounds.
@MainActor struct SendRounds {
    nonisolated static let sendsAtOnce = 1000

    private let clock = SuspendingClock()

    /// Times of single sends, each the average of a round. `send` makes as many as it is told, and checks each.
    @discardableResult
    func time(_ sends: Int, _ send: (Int) throws -> Void) throws -> Latencies {
        var latencies = Latencies()
        for _ in 0..<max(1, sends / Self.sendsAtOnce) {
            try Task.checkCancellation()
            let start = clock.now
            try send(Self.sendsAtOnce)
            latencies.record(start.duration(to: clock.now), dividedBy: Self.sendsAtOnce)
        }
        return latencies
    }

    /// Allocations of one send, on the average of a round; nil where they are not counted.
    func allocations(_ send: (Int) throws -> Void) rethrows -> Double? {
        let before = Allocations.ofThisThread
        try send(Self.sendsAtOnce)
        guard let before, let after = Allocations.ofThisThread else { return nil }
        return Double(after - before) / Double(Self.sendsAtOnce)
    }
}
