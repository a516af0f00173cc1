/// Times of the same operation beside something, and of a reference without it, in rounds that take turns: what else a
/// machine does comes and goes, and then meets both.
struct Comparison {
    /// What was measured on one of the two sides of a round, in nanoseconds.
    struct Times: Codable, Equatable, Sendable {
        var p50 = 0.0
        var p99 = 0.0
    }

    /// The rounds, each with both sides.
    private var rounds: [(beside: Times, reference: Times)] = []

    /// The medians of the rounds.
    var beside: Times { median(of: rounds.map(\.beside)) }
    var reference: Times { median(of: rounds.map(\.reference)) }

    /// How many times as long it takes as the reference: the median of what each round says.
    func ratio(_ percentile: KeyPath<Times, Double>) -> Double {
        rounds.map { $0.beside[keyPath: percentile] / max($0.reference[keyPath: percentile], 1) }.median
    }

    private func median(of times: [Times]) -> Times {
        Times(p50: times.map(\.p50).median, p99: times.map(\.p99).median)
    }

    /// Measures both sides in each of so many rounds, first the one and then the other, by turns.
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
    /// The value in the middle, of an even number the mean of both; 0 of none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2
    }
}
