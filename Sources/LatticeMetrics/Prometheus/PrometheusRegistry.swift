public import CoreMetrics
import LatticeConcurrency

/// A back end of swift-metrics that keeps all metrics in memory and writes them in the text format of Prometheus.
///
/// ```swift
/// let registry = PrometheusRegistry()
/// let metrics = RuntimeMetrics(factory: registry)
/// ```
///
/// Use `withMetricsEndpoint(_:at:refresh:isolation:_:)` to let Prometheus read it. If you call
/// `MetricsSystem.bootstrap(registry)`, the metrics of your program and of other libraries are in the text too.
///
/// Timers become histograms in seconds, whose buckets begin at a microsecond. Counters get the suffix `_total`. Names
/// that Prometheus does not accept are changed: "lattice.event.duration" becomes `lattice_event_duration_seconds`.
///
/// A metric is refused if there are ``maximumFamilies`` names or ``maximumSeries`` series of its name, or if its name
/// has another type already or is one of the lines of another metric. It then counts nothing, and
/// `lattice_metrics_refused_total` grows.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The maximum number of names. Each costs some hundred bytes and its series.
    public static let maximumFamilies = 1_000
    /// The maximum number of series of one name. A series of a timer takes about a kilobyte of memory.
    public static let maximumSeries = 1_000

    private enum Kind: String {
        case counter, gauge, histogram, summary

        /// The ends of the names that the lines of a family have.
        var suffixes: [String] {
            switch self {
            case .counter, .gauge: [""]
            case .histogram: ["", "_bucket", "_sum", "_count"]
            case .summary: ["", "_sum", "_count"]
            }
        }

        /// The labels that the lines of a family have besides those of the metric.
        var labels: Set<String> {
            switch self {
            case .counter, .gauge: []
            case .histogram: ["le"]
            case .summary: ["quantile"]
            }
        }
    }

    /// The number of refused metrics, which is in each text.
    private static let refusedName = "lattice_metrics_refused_total"

    private struct Family {
        let kind: Kind
        let help: String
        /// The series by their labels in alphabetical order, with the labels in their own order.
        var series: [String: (labels: String, series: any PrometheusSeries)] = [:]
    }

    private struct Core {
        var families: [String: Family] = [:]
        /// The names of all lines. Two families have none in common.
        var names: Set<String> = [PrometheusRegistry.refusedName]
        var refused = 0
    }

    private let definitions: [String: MetricDefinition]
    private let core = Locked(Core())

    /// Creates a registry.
    ///
    /// - Parameter definitions: The metrics whose units and descriptions are known. By default these are those of
    ///   Lattice.
    public init(definitions: [MetricDefinition] = RuntimeMetrics.definitions) {
        self.definitions = Dictionary(definitions.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The number of metrics that were refused.
    public var refusedMetrics: Int { core.withLock(\.refused) }

    /// Returns all metrics in the text format of Prometheus, version 0.0.4, ordered by name.
    ///
    /// - Complexity: O(*n* log *n*), where *n* is the number of series.
    public func text() -> String {
        let (families, refused) = core.withLock { ($0.families, $0.refused) }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) where !family.series.isEmpty {
            PrometheusText.head(name, type: family.kind.rawValue, family.help, to: &text)
            for (_, (labels, series)) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name, labels, to: &text)
            }
        }
        let help = "The metrics that were refused because of their number, or because their name has another type."
        PrometheusText.head(Self.refusedName, type: "counter", help, to: &text)
        PrometheusText.line(Self.refusedName, "", Double(refused), to: &text)
        return text
    }

    // MARK: Making metrics

    /// Returns the counter with a name and dimensions, which is created if it does not exist.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter, PrometheusCounter())
    }

    /// Returns the counter with a name and dimensions, which is created if it does not exist.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter, PrometheusCounter())
    }

    /// Returns the gauge with a name and dimensions, which is created if it does not exist.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, PrometheusGauge())
    }

    /// Returns the number and the sum of recorded values, or the last one if they are not aggregated.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        aggregate
            ? series(label, dimensions, .summary, PrometheusSummary())
            : series(label, dimensions, .gauge, PrometheusGauge())
    }

    /// Returns the histogram with a name and dimensions, which is created if it does not exist.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram, PrometheusHistogram())
    }

    private func series<Series: PrometheusSeries>(
        _ label: String,
        _ dimensions: [(String, String)],
        _ kind: Kind,
        _ new: Series
    ) -> Series {
        let definition = definitions[label]
        let unit = definition?.unit ?? (kind == .histogram ? "s" : "")
        let name = PrometheusText.familyName(label, unit: unit, isCounter: kind == .counter)
        let labels = PrometheusText.labels(dimensions, reserved: kind.labels)
        // The same labels in another order are the same series.
        let key = labels.sorted().joined(separator: ",")
        return core.withLock { core in
            let known = core.families[name]
            if let existing = known?.series[key]?.series as? Series, known?.kind == kind { return existing }
            let names = kind.suffixes.map { name + $0 }
            guard
                known.map({ $0.kind == kind && $0.series.count < Self.maximumSeries })
                    ?? (core.families.count < Self.maximumFamilies && core.names.isDisjoint(with: names))
            else {
                core.refused += 1
                return new
            }
            core.names.formUnion(names)
            let family = Family(kind: kind, help: definition?.about ?? "")
            core.families[name, default: family].series[key] = (labels.joined(separator: ","), new)
            return new
        }
    }

    // MARK: Ending metrics

    /// Removes a counter.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    /// Removes a counter.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    /// Removes a gauge.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    /// Removes what was recorded.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    /// Removes a histogram.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    /// - Complexity: O(*n*), where *n* is the number of series.
    private func remove(_ handler: AnyObject) {
        core.withLock { core in
            for (name, family) in core.families {
                guard let labels = family.series.first(where: { $0.value.series === handler })?.key else { continue }
                core.families[name]?.series[labels] = nil
                // A name without series can get another type.
                if core.families[name]?.series.isEmpty ?? false {
                    core.families[name] = nil
                    core.names.subtract(family.kind.suffixes.map { name + $0 })
                }
                return
            }
        }
    }
}
