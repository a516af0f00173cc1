import Testing

@testable import LatticeCoordinator

@Suite struct DurationHistogramTests {
    private static let second: Int64 = 1_000_000_000

    @Test(
        "A percentile is at most a quarter above the true duration, and never below it",
        arguments: [
            1_024, 1_500, 9_999, 1_000_000, 123_456_789, 5_000_000_000, 100_000_000_000,
        ] as [Int64]
    )
    func width(_ duration: Int64) throws {
        var histogram = DurationHistogram()
        histogram.record(duration, at: 0)
        let percentile = try #require(histogram.percentile(0.5, at: 1))
        #expect(percentile >= duration && Double(percentile) <= Double(duration) * 1.25)
    }

    @Test func ranks() throws {
        var histogram = DurationHistogram()
        #expect(histogram.percentile(0.5, at: 0) == nil)
        for _ in 0..<98 { histogram.record(2_000, at: 0) }
        for _ in 0..<2 { histogram.record(8_000_000, at: 0) }
        #expect(try #require(histogram.percentile(0.5, at: 0)) < 3_000)
        #expect(try #require(histogram.percentile(0.98, at: 0)) < 3_000)
        #expect(try #require(histogram.percentile(0.99, at: 0)) >= 8_000_000)
        let both = try #require(histogram.percentiles(0.5, 0.99, at: 0))
        #expect(both.lower == histogram.percentile(0.5, at: 0) && both.upper == histogram.percentile(0.99, at: 0))
    }

    @Test("Durations outside the range are counted in the first and the last bucket")
    func extremes() throws {
        var histogram = DurationHistogram()
        histogram.record(-5, at: 0)
        #expect(histogram.percentile(1, at: 0) == 1_024)
        histogram.record(.max, at: 0)
        #expect(try #require(histogram.percentile(1, at: 0)) > 100 * Self.second)
    }

    @Test("Durations are forgotten after 10 to 20 seconds")
    func windows() {
        var histogram = DurationHistogram()
        histogram.record(1_000_000, at: 0)
        #expect(histogram.percentile(1, at: 19 * Self.second) != nil)
        #expect(histogram.percentile(1, at: 20 * Self.second) == nil)
        histogram.record(2_000, at: 11 * Self.second)
        #expect(histogram.percentile(1, at: 12 * Self.second) ?? 0 >= 1_000_000)
        histogram.record(2_000, at: 22 * Self.second)
        #expect(histogram.percentile(1, at: 22 * Self.second) ?? 0 < 3_000)
        histogram.record(2_000, at: 100 * Self.second)
        #expect(histogram.percentile(1, at: 100 * Self.second) ?? 0 < 3_000)
    }
}
