/// Times what is too short for the clock: a thousand at once, in rounds.
@MainActor enum SendRounds {
    nonisolated static let sendsAtOnce = 1000

    /// Adds to a report what a send takes, and how much it allocates, after some that are not measured.
    static func measure(_ name: String, key: String, into report: BenchReport, _ send: (Int) throws -> Void) throws {
        try time(BenchScale.warmUp, send)
        report.add(times: name, try time(BenchScale.sends, send), key: key)
        guard let allocations = try allocations(send) else { return }
        report.add(figure: "allocations of a \(name)", allocations, decimals: 3, key: "\(key)_allocations")
    }

    /// Times of single sends, each the average of a round. `send` makes as many as it is told, and checks each.
    @discardableResult
    static func time(_ sends: Int, _ send: (Int) throws -> Void) throws -> Latencies {
        var latencies = Latencies()
        for _ in 0..<max(1, sends / sendsAtOnce) {
            try Task.checkCancellation()
            let start = SuspendingClock.now
            try send(sendsAtOnce)
            latencies.record(start.duration(to: .now), dividedBy: sendsAtOnce)
        }
        return latencies
    }

    /// Allocations of one send, on the average of a round; nil where they are not counted.
    private static func allocations(_ send: (Int) throws -> Void) rethrows -> Double? {
        let before = Allocations.ofThisThread
        try send(sendsAtOnce)
        guard let before, let after = Allocations.ofThisThread else { return nil }
        return Double(after - before) / Double(sendsAtOnce)
    }
}
