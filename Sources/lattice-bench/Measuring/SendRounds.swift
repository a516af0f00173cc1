/// Measures operations that are too short for the clock, in rounds of one thousand.
@MainActor enum SendRounds {
    nonisolated static let sendsAtOnce = 1000

    /// Measures the time and the allocations of a send and adds them to a report. A warm-up is not measured.
    static func measure(_ name: String, key: String, into report: BenchReport, _ send: (Int) throws -> Void) throws {
        try time(BenchScale.warmUp, send)
        report.add(times: name, try time(BenchScale.sends, send), key: key)
        guard let allocations = try allocations(send) else { return }
        report.add(figure: "allocations of a \(name)", allocations, decimals: 3, key: "\(key)_allocations")
    }

    /// Measures single sends. Each recorded time is the average of a round. `send` gets the number of sends to make,
    /// and checks each of them.
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

    /// Returns the allocations of one send as the average of a round, or nil if they are not counted.
    private static func allocations(_ send: (Int) throws -> Void) rethrows -> Double? {
        let before = Allocations.ofThisThread
        try send(sendsAtOnce)
        guard let before, let after = Allocations.ofThisThread else { return nil }
        return Double(after - before) / Double(sendsAtOnce)
    }
}
