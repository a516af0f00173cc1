import Foundation
import Testing

/// `lattice-bench chart`.
@Suite(.timeLimit(.minutes(10))) struct ChartCommandTests {
    @Test("Charts of a result file are written into a new folder")
    @MainActor func writesCharts() async throws {
        try await withSocketPath { path in
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            let lines = "{\"rtt_p50_us\": 9.600, \"rtt_p99_us\": 13.000}\n{\"throughput_per_s\": 1744465}\n"
            try Data(lines.utf8).write(to: URL(fileURLWithPath: folder + "/session.json"))
            let charts = folder + "/charts"
            let arguments = ["chart", folder + "/session.json", "--output", charts]
            let run = try await Programs.run(Programs.path("lattice-bench"), arguments)
            #expect(run.status == 0)
            #expect(run.output == "\(charts)/bench-round-trip.svg: 1 row\n\(charts)/bench-messages.svg: 1 row\n")
            let svg = try String(contentsOfFile: charts + "/bench-round-trip.svg", encoding: .utf8)
            #expect(svg.contains(">Lattice, measured at the session</text>"))
        }
    }

    @Test("A missing file ends the command with exit code 1, and the error says what to do")
    func missingFile() async throws {
        let arguments = ["chart", "/no/such/file.json", "--output", "/no/such/folder"]
        let run = try await Programs.run(Programs.path("lattice-bench"), arguments, takesErrors: true)
        #expect(run.status == 1)
        #expect(
            run.output == "lattice-bench chart: The file \"/no/such/file.json\" cannot be read: No such file or"
                + " directory. Give the path of a result file.\n"
        )
    }

    @Test("A command without arguments is wrong use")
    func noArguments() async throws {
        let run = try await Programs.run(Programs.path("lattice-bench"), ["chart"], takesErrors: true)
        #expect(run.status == 64)
    }
}
