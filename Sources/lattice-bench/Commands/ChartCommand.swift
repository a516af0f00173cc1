import ArgumentParser
import LatticeCharts
import LatticeToolSupport

/// `lattice-bench chart`.
struct ChartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chart",
        abstract: "Draws results of benchmarks as SVG bar charts.",
        discussion: """
            The charts are bench-round-trip.svg, bench-messages.svg and \
            bench-deliveries.svg. Calls of actors are in bench-call-round-trip.svg and \
            bench-calls.svg. A chart without rows is not written.

            A result file has the lines that session, view-model or actors print with \
            --json. Its name without the extension is the name of the row. Or the file has \
            one JSON object with an object for each row, with the figures rtt_p50_us, \
            throughput_per_s and fanout_per_s. Rows with a name that begins with "lattice" \
            are highlighted. Rows are of calls if the name contains "actors" or "call", or \
            begins with "erlang" or "grpc".

            Example: lattice-bench session --json > session.json
            lattice-bench chart session.json peers.json --output charts
            """
    )

    @Argument(help: "The result files.", completion: .file())
    var results: [String]

    @Option(
        help: ArgumentHelp("The folder for the charts. It is created if it is missing.", valueName: "folder"),
        completion: .directory
    )
    var output: String

    func run() throws {
        do {
            try draw()
        } catch {
            Console.say("lattice-bench chart: \(error)")
            throw ExitCode.failure
        }
    }

    private func draw() throws(ChartError) {
        var read = BenchResults()
        for file in results { try read.add(try ChartFiles.text(of: file), from: file) }
        let charts = BenchChart.allCases.compactMap { kind in kind.chart(of: read.rows).map { (kind, $0) } }
        guard !charts.isEmpty else { throw .noFigures }
        for (kind, chart) in charts {
            let path = try ChartFiles.write(chart.svg(), to: kind.fileName, in: output)
            Console.put("\(path): \(chart.bars.count) \(chart.bars.count == 1 ? "row" : "rows")")
        }
    }
}
