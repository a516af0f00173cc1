#if !Metrics
#error("LatticeMetrics needs the trait \"Metrics\" of the package lattice: .package(path: …, traits: [\"Metrics\"]).")
#endif

/// The description of a metric: its name, its type, its unit and its labels.
///
/// ``RuntimeMetrics/definitions`` is the table of all metrics of Lattice. A metric has the same labels in each of its
/// series, so back ends that refuse other labels under one name can be used.
public struct MetricDefinition: Sendable, Hashable {
    /// The type of a metric.
    public enum Kind: String, Sendable, Hashable {
        /// A number that only grows.
        case counter
        /// A number that is read when metrics are collected.
        case gauge
        /// Durations, with the number of those that are at most as long as each of some bounds.
        case histogram
    }

    /// The name, with dots, such as "lattice.event.duration". A released name never changes its meaning.
    public let name: String
    /// The type.
    public let kind: Kind
    /// The unit in the notation of UCUM: "s" for seconds, "By" for bytes, and a word in braces for what is counted.
    public let unit: String
    /// The names of the labels, in the order of their values.
    public let labels: [String]
    /// The maximum number of series. Further values are counted in one series whose labels all have the value
    /// ``otherValue``.
    public let maximumSeries: Int
    /// A description in one sentence.
    public let about: String

    /// The value of all labels of the series for what exceeds ``maximumSeries``.
    public static let otherValue = "_OTHER"

    /// Creates a definition.
    public init(
        _ name: String,
        _ kind: Kind,
        unit: String,
        labels: [String] = [],
        maximumSeries: Int = 256,
        _ about: String
    ) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.labels = labels
        self.maximumSeries = maximumSeries
        self.about = about
    }

    /// Returns the labels with their values, as swift-metrics takes them.
    func dimensions(_ values: [String]) -> [(String, String)] {
        precondition(values.count == labels.count, "The metric \(name) has \(labels.count) labels.")
        return Array(zip(labels, values))
    }
}
