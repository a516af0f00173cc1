import LatticeToolSupport

/// The results of a benchmark. They are printed as lines of JSON immediately, or as tables at the end.
@MainActor final class BenchReport {
    private let printsJSON: Bool
    private var times: [[String]] = []
    private var rates: [[String]] = []
    private var figures: [[String]] = []
    private var comparisons: [[String]] = []

    init(printsJSON: Bool) {
        self.printsJSON = printsJSON
    }

    /// Adds times of single operations, which are printed in microseconds.
    ///
    /// - Parameters:
    ///   - name: The name of the row in the table.
    ///   - latencies: The times.
    ///   - key: The beginning of the keys in JSON.
    ///   - isOfRow: Whether the programs to which the bench is compared have this figure too. JSON contains only those
    ///     figures.
    func add(times name: String, _ latencies: Latencies, key: String, isOfRow: Bool = true) {
        let percentiles = Latencies.reported.map { latencies.percentile($0.percentile) }
        if printsJSON, isOfRow {
            let figures = zip(Latencies.reported, percentiles).filter(\.0.isInJSON).map { ($0.name, $1) }
            put((figures + [("mean", latencies.mean)]).map { ("\(key)_\($0)_us", $1 / 1000, 3) })
        }
        let values = percentiles + [latencies.maximum, latencies.mean]
        times.append([name] + values.map { Self.text($0 / 1000, decimals: $0 < 10_000 ? 3 : 1) })
    }

    /// Adds a number of operations per second.
    func add(rate name: String, count: Int, in duration: Duration, key: String, isOfRow: Bool = true) {
        let rate = Double(count) / (duration / .seconds(1))
        if printsJSON, isOfRow { put([(key, rate, 0)]) }
        rates.append([name, Self.text(rate, decimals: 0), Self.text(duration / .milliseconds(1), decimals: 1)])
    }

    /// Adds the processor time of all processes per operation, in microseconds.
    func add(time name: String, _ time: ProcessorTime, count: Int, key: String, isOfRow: Bool = true) {
        let each = Double(time.nanoseconds) / Double(count) / 1000
        let figure = "µs of processor time for each \(name), all processes"
        add(figure: figure, each, decimals: 3, key: key, isOfRow: isOfRow)
    }

    /// Adds the times of an operation under some condition, those of a reference, and their ratios, in microseconds.
    /// `key` is the beginning of the keys in JSON.
    func add(comparison name: String, _ comparison: Comparison, key: String) {
        let columns = [
            ("p50_us", comparison.beside.p50 / 1000, 1), ("p99_us", comparison.beside.p99 / 1000, 1),
            ("reference_p50_us", comparison.reference.p50 / 1000, 1),
            ("reference_p99_us", comparison.reference.p99 / 1000, 1),
            ("p50_ratio", comparison.ratio(\.p50), 2), ("p99_ratio", comparison.ratio(\.p99), 2),
        ]
        if printsJSON { put(columns.map { ("\(key)_\($0)", $1, $2) }) }
        comparisons.append([name] + columns.map { Self.text($1, decimals: $2) })
    }

    /// Adds any other figure.
    func add(figure name: String, _ value: Double, decimals: Int = 1, key: String, isOfRow: Bool = true) {
        if printsJSON, isOfRow { put([(key, value, decimals)]) }
        figures.append([name, Self.text(value, decimals: decimals)])
    }

    /// Prints the tables, unless the figures were printed as JSON.
    func printTable() {
        guard !printsJSON else { return }
        let tables = [
            (["µs"] + Latencies.reported.map(\.name) + ["max", "mean"], times),
            (["", "per second", "total ms"], rates),
            (["", "figure"], figures),
            (["µs, medians of rounds", "p50", "p99", "reference p50", "p99", "ratio p50", "p99"], comparisons),
        ]
        for (number, (head, rows)) in tables.filter({ !$0.1.isEmpty }).enumerated() {
            if number > 0 { Console.put("") }
            Console.put(table: [head] + rows)
        }
    }

    private func put(_ figures: [(key: String, value: Double, decimals: Int)]) {
        let pairs = figures.map { "\"\($0.key)\": \(Self.text($0.value, decimals: $0.decimals))" }
        Console.put("{\(pairs.joined(separator: ", "))}")
    }

    /// Returns a number with a fixed number of decimals.
    private static func text(_ value: Double, decimals: Int) -> String {
        let factor = (0..<decimals).reduce(1) { factor, _ in factor * 10 }
        let scaled = Int((value * Double(factor)).rounded())
        guard decimals > 0 else { return "\(scaled)" }
        let fraction = String(scaled % factor)
        return "\(scaled / factor)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }
}
