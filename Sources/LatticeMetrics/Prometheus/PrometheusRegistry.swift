public import CoreMetrics
import LatticeConcurrency

/// A back end of swift-metrics that keeps all metrics in memory and writes them in the text format of Prometheus.
///
/// ```swift
/// let registry = PrometheusRegistry()
/// let metrics = RuntimeMetrics(factory: registry)
/// ```
///
/// Use `withMetricsEndpoint(_:of:refresh:isolation:_:)` to let Prometheus read it. If you call
/// `MetricsSystem.bootstrap(registry)`, the metrics of your program and of other libraries are in the text too.
///
/// Timers become histograms in seconds, whose buckets begin at a microsecond. Counters get the suffix `_total`. Names
/// that Prometheus does not accept are changed: "lattice.event.duration" becomes `lattice_event_duration_seconds`.
///
/// A metric is refused if there are ``maximumFamilies`` names or ``maximumSeries`` series of its name, or if its name
/// has another type already. It then counts nothing, and `lattice_metrics_refused_total` grows.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The maximum number of names. Each costs some hundred bytes and its series.
    public static let maximumFamilies = 1_000
    /// The maximum number of series of one name. A series of a timer takes about a kilobyte of memory.
    public static let maximumSeries = 1_000

    private enum Kind: String {
        case counter, gauge, histogram, summary
    }

    private struct Family {
        let kind: Kind
        let help: String
        var series: [String: any PrometheusSeries] = [:]
    }

    private struct Core {
        var families: [String: Family] = [:]
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
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                series.write(name, labels, to: &text)
            }
        }
        let name = "lattice_metrics_refused_total"
        let help = "The metrics that were refused because of their number, or because their name has another type."
        PrometheusText.head(name, type: "counter", help, to: &text)
        PrometheusText.line(name, "", Double(refused), to: &text)
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
        let labels = PrometheusText.labels(dimensions)
        return core.withLock { core in
            let family = core.families[name] ?? Family(kind: kind, help: definition?.about ?? "")
            if let existing = family.series[labels] as? Series, family.kind == kind { return existing }
            guard family.kind == kind, family.series.count < Self.maximumSeries,
                core.families[name] != nil || core.families.count < Self.maximumFamilies
            else {
                core.refused += 1
                return new
            }
            core.families[name, default: family].series[labels] = new
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
                guard let labels = family.series.first(where: { $0.value === handler })?.key else { continue }
                core.families[name]?.series[labels] = nil
                // A name without series can get another type.
                if core.families[name]?.series.isEmpty ?? false { core.families[name] = nil }
                return
            }
        }
    }
}
