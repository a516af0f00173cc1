/// The charts that are drawn of the results of benchmarks.
package enum BenchChart: String, CaseIterable, Sendable {
    /// The median time of a message and its answer.
    case roundTrip = "round-trip"
    /// The messages per second with many in flight.
    case messages
    /// The deliveries per second to many subscribers.
    case deliveries
    /// The median time of a remote call and its result.
    case callRoundTrip = "call-round-trip"
    /// The remote calls per second with many in flight.
    case calls

    /// The name of the chart's file.
    package var fileName: String { "bench-\(rawValue).svg" }

    /// The key of the figure in result files.
    package var key: String {
        switch self {
        case .roundTrip, .callRoundTrip: "rtt_p50_us"
        case .messages, .calls: "throughput_per_s"
        case .deliveries: "fanout_per_s"
        }
    }

    /// Returns the chart of the rows that have its figure, or nil if there are none.
    package func chart(of rows: [BenchRow]) -> BarChart? {
        let rows = rows.filter { $0.isOfCalls == isOfCalls }
        let measured = rows.compactMap { row in row.figures[key].map { (row: row, figure: $0) } }
        guard !measured.isEmpty else { return nil }
        return BarChart(
            title: title,
            unit: unit,
            isLowerBetter: key == "rtt_p50_us",
            source: Self.source(of: measured.map(\.row)),
            bars: measured.map { .init(name: $0.row.title, value: $0.figure, isHighlighted: $0.row.isOurs) }
        )
    }

    private var isOfCalls: Bool { self == .callRoundTrip || self == .calls }

    private var title: String {
        switch self {
        case .roundTrip: "Round trip of a message and its answer, 64 bytes each, between two processes"
        case .messages: "Messages per second between two processes, 64 bytes each, at most 256 in flight"
        case .deliveries: "Deliveries per second of messages of 1 KiB to 100 subscribers"
        case .callRoundTrip: "Round trip of a remote call with 64 bytes, between two processes"
        case .calls: "Remote calls per second between two processes, 64 bytes each, at most 256 in flight"
        }
    }

    private var unit: String {
        switch self {
        case .roundTrip, .callRoundTrip: "µs, median (p50)"
        case .messages: "messages per second"
        case .deliveries: "deliveries per second"
        case .calls: "calls per second"
        }
    }

    /// Returns the sentence that says how the rows were measured.
    private static func source(of rows: [BenchRow]) -> String {
        let files = Set(rows.map(\.file)).count
        let measurement = [files > 1 ? "\(files) result files" : "Same run", rounds(of: rows)].compactMap(\.self)
        let warning = " Rows are comparable only if they were measured in the same run."
        return measurement.joined(separator: ", ") + "." + (files > 1 ? warning : "")
    }

    /// Returns the number of rounds in words, or nil if a row does not say its number.
    private static func rounds(of rows: [BenchRow]) -> String? {
        let rounds = rows.compactMap(\.rounds)
        guard rounds.count == rows.count, let minimum = rounds.min(), let maximum = rounds.max() else { return nil }
        if maximum <= 1 { return "one round" }
        return minimum == maximum ? "medians of \(maximum) rounds" : "medians of \(minimum) to \(maximum) rounds"
    }
}
