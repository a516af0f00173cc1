import Histogram

/// A histogram of the times of single operations, in nanoseconds.
struct Latencies: Codable, Equatable, Sendable {
    /// The percentiles that are reported, and whether JSON contains them.
    static let reported: [(name: String, percentile: Double, isInJSON: Bool)] = [
        ("p50", 50, true), ("p90", 90, false), ("p99", 99, true), ("p99.9", 99.9, false),
    ]

    private var histogram = Histogram<UInt32>(
        highestTrackableValue: 120_000_000_000,
        numberOfSignificantValueDigits: .three
    )

    /// Records a time. If several operations were measured together, the time is divided by their number. Times above
    /// the maximum are not recorded, but a run that long is stopped earlier.
    mutating func record(_ duration: Duration, dividedBy count: Int = 1) {
        _ = histogram.record(UInt64(max(0, duration / .nanoseconds(1) / Double(count))))
    }

    mutating func add(_ other: Latencies) {
        histogram.add(other.histogram)
    }

    var mean: Double { histogram.mean }
    var maximum: Double { Double(histogram.maxRecorded) }

    func percentile(_ percentile: Double) -> Double {
        Double(histogram.valueAtPercentile(percentile))
    }
}
