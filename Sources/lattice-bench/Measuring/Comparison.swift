/// Times of an operation under some condition, and of a reference without it. The rounds of both alternate, so that
/// other load on the machine affects both.
struct Comparison {
    /// The measured times of one side of a round, in nanoseconds.
    struct Times: Codable, Equatable, Sendable {
        var p50 = 0.0
        var p99 = 0.0
    }

    /// The rounds, each with the times of both sides.
    private var rounds: [(beside: Times, reference: Times)] = []

    /// The medians of the rounds under the condition.
    var beside: Times { median(of: rounds.map(\.beside)) }
    /// The medians of the rounds of the reference.
    var reference: Times { median(of: rounds.map(\.reference)) }

    /// Returns how many times longer the operation takes than the reference. This is the median of the ratios of all
    /// rounds.
    func ratio(_ percentile: KeyPath<Times, Double>) -> Double {
        rounds.map { $0.beside[keyPath: percentile] / max($0.reference[keyPath: percentile], 1) }.median
    }

    private func median(of times: [Times]) -> Times {
        Times(p50: times.map(\.p50).median, p99: times.map(\.p99).median)
    }

    /// Measures a number of rounds. Which side goes first alternates from round to round.
    @MainActor static func measuring(
        _ count: Int,
        beside: @MainActor () async throws -> Times,
        reference: @MainActor () async throws -> Times
    ) async throws -> Comparison {
        var comparison = Comparison()
        for round in 0..<count {
            try Task.checkCancellation()
            if round.isMultiple(of: 2) {
                let times = try await reference()
                comparison.rounds.append((try await beside(), times))
            } else {
                comparison.rounds.append((try await beside(), try await reference()))
            }
        }
        return comparison
    }
}

extension Latencies {
    var times: Comparison.Times { Comparison.Times(p50: percentile(50), p99: percentile(99)) }
}

extension [Double] {
    /// The median. For an even number of values it is the mean of the two in the middle, and for none it is 0.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2
    }
}
