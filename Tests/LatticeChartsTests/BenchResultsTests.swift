import LatticeCharts
import Testing

/// Result files.
@Suite struct BenchResultsTests {
    private func rows(of text: String, in file: String = "results.json") throws -> [BenchRow] {
        var results = BenchResults()
        try results.add(text, from: file)
        return results.rows
    }

    @Test("Lines of a benchmark are one row of Lattice with the name of the file")
    func lines() throws {
        let text = """
            {"rtt_p50_us": 9.600, "rtt_p99_us": 13.000, "rtt_mean_us": 10.100}
            {"throughput_per_s": 1744465}

            """
        let row = try #require(try rows(of: text, in: "some folder/session.json").first)
        #expect(row.name == "session")
        #expect(row.title == "Lattice, measured at the session")
        #expect(row.isOurs && !row.isOfCalls && row.rounds == 1)
        #expect(row.figures["rtt_p50_us"] == 9.6 && row.figures["throughput_per_s"] == 1_744_465)
        #expect(try rows(of: #"{"rtt_p50_us": 1}"#).map(\.name) == ["results"])
    }

    @Test("An object of objects has a row for each member, with the number of its rounds")
    func objects() throws {
        let text = """
            {
              "zeromq": {"rtt_p50_us": 77.8, "fanout_per_s": null, "version": "4.3.4", "failed": ["fanout: why"],
                         "rounds": [{"rtt_p50_us": 77.8}, {"rtt_p50_us": 70}, {"rtt_p50_us": 90}]},
              "lattice-session": {"rtt_p50_us": 9.6},
              "dbus": {"unavailable": "no dbus-daemon on the PATH"}
            }
            """
        let rows = try rows(of: text)
        #expect(rows.map(\.name) == ["lattice-session", "zeromq"])
        #expect(rows.map(\.isOurs) == [true, false])
        #expect(rows.map(\.rounds) == [nil, 3])
        #expect(rows.map(\.figures) == [["rtt_p50_us": 9.6], ["rtt_p50_us": 77.8]])
    }

    @Test(
        "Rows of calls are known by their names",
        arguments: [
            ("lattice-actors", true), ("actors", true), ("erlang", true), ("gRPC Swift 2.4.3, unary", true),
            ("Lattice, call of an actor in a worker", true), ("lattice-session", false), ("zeromq", false),
            ("Lattice, measured at a view model on the main actor", false),
        ]
    )
    func calls(name: String, isOfCalls: Bool) throws {
        #expect(try rows(of: "{\"\(name)\": {\"rtt_p50_us\": 1}}").map(\.isOfCalls) == [isOfCalls])
    }

    @Test(
        "Any other content is no result file",
        arguments: ["", "\n", "round trip 9.6", "[1]", #"{"rtt_p50_us": "9.6"}"#, "{\"a\": 1}\nDone.", "{\"a\": {}"]
    )
    func unknownFormat(text: String) {
        #expect(throws: ChartError.self) { try rows(of: text) }
        #expect { try rows(of: text) } throws: { ($0 as? ChartError)?.code == .unknownFormat }
    }

    @Test("A figure that is not greater than 0 is an error", arguments: ["0", "-1"])
    func invalidFigure(figure: String) {
        for text in ["{\"rtt_p50_us\": \(figure)}", "{\"zeromq\": {\"rtt_p50_us\": \(figure)}}"] {
            #expect { try rows(of: text) } throws: { ($0 as? ChartError)?.code == .invalidFigure }
        }
    }

    @Test("A row that exists already is an error, and adds nothing")
    func duplicateRow() throws {
        var results = BenchResults()
        try results.add(#"{"zeromq": {"rtt_p50_us": 1}}"#, from: "a.json")
        let before = results
        #expect {
            try results.add(#"{"redis": {"rtt_p50_us": 1}, "zeromq": {"rtt_p50_us": 2}}"#, from: "b.json")
        } throws: {
            ($0 as? ChartError)?.code == .duplicateRow
        }
        #expect(results == before)
    }

    @Test("Errors say what to do")
    func sentences() {
        #expect(
            ChartError.unreadable("a.json", reason: "No such file or directory").description
                == "The file \"a.json\" cannot be read: No such file or directory. Give the path of a result file."
        )
        #expect(
            ChartError.noFigures.description
                == "The result files have no figures for a chart. Give results of 'lattice-bench session',"
                + " 'lattice-bench view-model' or 'lattice-bench actors', or rows with rtt_p50_us, throughput_per_s or"
                + " fanout_per_s."
        )
    }
}
