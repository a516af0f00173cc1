/// What was measured: JSON lines as it comes, or tables at the end.
@MainActor final class BenchReport {
    private let printsJSON: Bool
    private var times: [[String]] = []
    private var rates: [[String]] = []
    private var figures: [[String]] = []

    init(printsJSON: Bool) {
        self.printsJSON = printsJSON
    }

    /// Times of single operations, in microseconds. `key` begins the names of their figures.
    func add(times name: String, _ latencies: Latencies, key: String) {
        if printsJSON {
            let figures = [
                ("p50", latencies.percentile(50)), ("p99", latencies.percentile(99)), ("mean", latencies.mean),
            ]
            put(figures.map { ("\(key)_\($0)_us", $1 / 1000, 3) })
        }
        let values = [50, 90, 99, 99.9].map { latencies.percentile($0) } + [latencies.maximum, latencies.mean]
        times.append([name] + values.map { Self.text($0 / 1000, decimals: $0 < 10_000 ? 3 : 1) })
    }

    /// Operations a second.
    func add(rate name: String, count: Int, in duration: Duration, key: String) {
        let rate = Double(count) / (duration / .seconds(1))
        if printsJSON { put([(key, rate, 0)]) }
        rates.append([name, Self.text(rate, decimals: 0), Self.text(duration / .milliseconds(1), decimals: 1)])
    }

    /// Something that is counted.
    func add(figure name: String, _ value: Double, decimals: Int, key: String) {
        if printsJSON { put([(key, value, decimals)]) }
        figures.append([name, Self.text(value, decimals: decimals)])
    }

    /// Prints the tables, unless everything went out as JSON.
    func printTable() {
        guard !printsJSON else { return }
        let tables = [
            (["µs", "p50", "p90", "p99", "p99.9", "max", "mean"], times),
            (["", "per second", "ms in all"], rates),
            (["", "counted"], figures),
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

    /// A number with so many decimals, as JSON and people read it.
    private static func text(_ value: Double, decimals: Int) -> String {
        let factor = (0..<decimals).reduce(1) { factor, _ in factor * 10 }
        let scaled = Int((value * Double(factor)).rounded())
        guard decimals > 0 else { return "\(scaled)" }
        let fraction = String(scaled % factor)
        return "\(scaled / factor)." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }
}
