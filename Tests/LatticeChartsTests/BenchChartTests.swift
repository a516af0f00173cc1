import LatticeCharts
import Testing

/// Charts of the rows of result files.
@Suite struct BenchChartTests {
    private static let run = """
        {
          "zeromq": {"rtt_p50_us": 77.8, "throughput_per_s": 1506127, "rounds": [{}, {}, {}]},
          "lattice-session": {"rtt_p50_us": 9.6, "throughput_per_s": 1744465, "rounds": [{}, {}, {}]},
          "erlang": {"rtt_p50_us": 81.6, "throughput_per_s": 134463, "rounds": [{}, {}, {}]}
        }
        """

    private func rows(of files: String...) throws -> [BenchRow] {
        var results = BenchResults()
        for (number, text) in files.enumerated() { try results.add(text, from: "file\(number).json") }
        return results.rows
    }

    @Test("A chart has the rows that have its figure, and messages and calls are apart")
    func rowsOfCharts() throws {
        let rows = try rows(of: Self.run)
        let roundTrip = try #require(BenchChart.roundTrip.chart(of: rows))
        #expect(
            roundTrip.sortedBars == [
                .init(name: "Lattice, measured at the session", value: 9.6, isHighlighted: true),
                .init(name: "ZeroMQ", value: 77.8),
            ]
        )
        #expect(roundTrip.isLowerBetter)
        let messages = try #require(BenchChart.messages.chart(of: rows))
        #expect(messages.bars.map(\.value).sorted() == [1_506_127, 1_744_465])
        #expect(!messages.isLowerBetter)
        #expect(BenchChart.calls.chart(of: rows)?.bars.map(\.value) == [134_463])
        #expect(BenchChart.callRoundTrip.chart(of: rows)?.bars.map(\.value) == [81.6])
        #expect(BenchChart.deliveries.chart(of: rows) == nil)
    }

    @Test("The source line has the number of rounds, and warns if rows are from several files")
    func source() throws {
        #expect(BenchChart.roundTrip.chart(of: try rows(of: Self.run))?.source == "Same run, medians of 3 rounds.")
        let one = #"{"rtt_p50_us": 70}"#
        #expect(BenchChart.roundTrip.chart(of: try rows(of: one))?.source == "Same run, one round.")
        let unknown = #"{"redis-list": {"rtt_p50_us": 70}}"#
        #expect(BenchChart.roundTrip.chart(of: try rows(of: unknown))?.source == "Same run.")
        #expect(
            BenchChart.roundTrip.chart(of: try rows(of: Self.run, one))?.source
                == "2 result files, medians of 1 to 3 rounds. Rows are comparable only if they were measured in the same"
                + " run."
        )
        // The rows of a chart count, and not those of all files.
        #expect(BenchChart.calls.chart(of: try rows(of: Self.run, one))?.source == "Same run, medians of 3 rounds.")
    }

    @Test("Each chart has a file of its own")
    func fileNames() {
        #expect(
            BenchChart.allCases.map(\.fileName) == [
                "bench-round-trip.svg", "bench-messages.svg", "bench-deliveries.svg", "bench-call-round-trip.svg",
                "bench-calls.svg",
            ]
        )
    }
}
