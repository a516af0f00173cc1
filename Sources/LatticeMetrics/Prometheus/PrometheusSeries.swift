import CoreMetrics
import LatticeConcurrency

/// One series of a family: it counts, and writes its lines.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Adds the lines of the series to a text.
    ///
    /// - Parameters:
    ///   - name: The name of the family.
    ///   - labels: The labels with their values, as they stand between the braces.
    func write(_ name: String, _ labels: String, to text: inout String)
}

/// The sum of what was counted. It takes whole and fractional amounts.
final class PrometheusCounter: PrometheusSeries, CounterHandler, FloatingPointCounterHandler {
    private let value = Locked(0.0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) {
        // A counter only grows.
        guard amount > 0, amount.isFinite else { return }
        value.withLock { $0 += amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func write(_ name: String, _ labels: String, to text: inout String) {
        PrometheusText.line(name, labels, value.withLock(\.self), to: &text)
    }
}

/// The last value.
final class PrometheusGauge: PrometheusSeries, MeterHandler, RecorderHandler {
    private let value = Locked(0.0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }

    func write(_ name: String, _ labels: String, to text: inout String) {
        PrometheusText.line(name, labels, value.withLock(\.self), to: &text)
    }
}

/// The number and the sum of values whose unit is not known, without buckets.
final class PrometheusSummary: PrometheusSeries, RecorderHandler {
    private let values = Locked((count: 0, sum: 0.0))

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        values.withLock {
            $0.count += 1
            $0.sum += value
        }
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let (count, sum) = values.withLock { ($0.count, $0.sum) }
        PrometheusText.line(name + "_sum", labels, sum, to: &text)
        PrometheusText.line(name + "_count", labels, Double(count), to: &text)
    }
}

/// Durations in buckets from a microsecond to a hundred seconds.
///
/// The buckets of most libraries begin at 5 milliseconds, and an event to a worker takes 20 microseconds.
final class PrometheusHistogram: PrometheusSeries, TimerHandler {
    /// The upper bounds of the buckets in nanoseconds: 1, 2.5 and 5 times each power of ten. Longer durations are
    /// counted in a last bucket without a bound.
    static let bounds: [Int64] = {
        let powers = sequence(first: Int64(1000)) { $0 * 10 }.prefix(8)
        return powers.flatMap { [$0, $0 * 5 / 2, $0 * 5] } + [100_000_000_000]
    }()
    /// The same bounds in seconds, as text.
    private static let texts = bounds.map { PrometheusText.number(Double($0) / 1e9) } + ["+Inf"]

    private struct Durations {
        /// The number of durations in each bucket, without those in the buckets before it.
        var counts = [Int](repeating: 0, count: PrometheusHistogram.bounds.count + 1)
        var nanoseconds = 0.0
    }

    private let durations = Locked(Durations())

    func recordNanoseconds(_ duration: Int64) {
        let bucket = Self.bucket(of: duration)
        durations.withLock {
            $0.counts[bucket] += 1
            $0.nanoseconds += Double(max(0, duration))
        }
    }

    /// Returns the first bucket whose bound is at least the duration.
    static func bucket(of duration: Int64) -> Int {
        var (low, high) = (0, bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < duration { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func write(_ name: String, _ labels: String, to text: inout String) {
        let (counts, nanoseconds) = durations.withLock { ($0.counts, $0.nanoseconds) }
        var total = 0
        for (bound, count) in zip(Self.texts, counts) {
            total += count
            let bound = "le=\"\(bound)\""
            PrometheusText.line(
                name + "_bucket",
                labels.isEmpty ? bound : "\(labels),\(bound)",
                Double(total),
                to: &text
            )
        }
        PrometheusText.line(name + "_sum", labels, nanoseconds / 1e9, to: &text)
        PrometheusText.line(name + "_count", labels, Double(total), to: &text)
    }
}
