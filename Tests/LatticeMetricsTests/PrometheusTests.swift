import CoreMetrics
import Testing

@testable import LatticeMetrics

/// Tests the text that Prometheus reads.
@Suite struct PrometheusTests {
    @Test("The text has each family once, in order, with its help, its type and its series")
    func text() {
        let registry = PrometheusRegistry(definitions: [
            MetricDefinition("b.size", .gauge, unit: "By", labels: ["k"], "The size.\nOf \\ \"it\"."),
            MetricDefinition("a.time", .counter, unit: "s", "The time."),
        ])
        registry.makeMeter(label: "b.size", dimensions: [("k", "2")]).set(1.5)
        registry.makeMeter(label: "b.size", dimensions: [("k", "1\"\\\n")]).set(-3.0)
        registry.makeFloatingPointCounter(label: "a.time", dimensions: []).increment(by: 0.25)
        registry.makeCounter(label: "other", dimensions: []).increment(by: 2)
        #expect(
            registry.text() == """
                # HELP a_time_seconds_total The time.
                # TYPE a_time_seconds_total counter
                a_time_seconds_total 0.25
                # HELP b_size_bytes The size.\\nOf \\\\ "it".
                # TYPE b_size_bytes gauge
                b_size_bytes{k="1\\"\\\\\\n"} -3
                b_size_bytes{k="2"} 1.5
                # TYPE other_total counter
                other_total 2
                # HELP lattice_metrics_refused_total The metrics that were refused because of their number, or because \
                their name has another type.
                # TYPE lattice_metrics_refused_total counter
                lattice_metrics_refused_total 0

                """
        )
    }

    @Test("A timer is a histogram in seconds whose buckets begin at a microsecond and add up")
    func histogram() {
        let registry = PrometheusRegistry()
        let timer = registry.makeTimer(label: "t", dimensions: [("k", "v")])
        for duration: Int64 in [-5, 0, 1000, 1001, 30_000, 99_000_000_000, .max] { timer.recordNanoseconds(duration) }
        let text = ScrapedText(registry.text())
        #expect(text.problems == [] && text.types["t_seconds"] == "histogram")
        let expected = ["1e-06": 3.0, "2.5e-06": 4, "2.5e-05": 4, "5e-05": 5, "50": 5, "100": 6, "+Inf": 7]
        for (bound, count) in expected {
            #expect(text["t_seconds_bucket{k=\"v\",le=\"\(bound)\"}"] == count, "\(bound)")
        }
        #expect(text["t_seconds_count{k=\"v\"}"] == 7)
        #expect(PrometheusHistogram.bounds == PrometheusHistogram.bounds.sorted())
        #expect(PrometheusHistogram.bounds.count == 25)
    }

    static let durations: [Int64] = [-1, 0, 999, 1000, 1001, 2500, 2501, 100_000_000_001]

    @Test("A duration is in the first bucket that is as long", arguments: durations)
    func bucket(_ duration: Int64) {
        let first = PrometheusHistogram.bounds.firstIndex { $0 >= duration } ?? PrometheusHistogram.bounds.count
        #expect(PrometheusHistogram.bucket(of: duration) == first)
    }

    static let names: [(String, String)] = [
        ("lattice.event.duration", "lattice_event_duration"), ("9lives", "_9lives"), ("", "_"), ("a-b:c é", "a_b:c__"),
    ]

    @Test("Names that Prometheus does not accept are changed", arguments: names)
    func name(_ label: String, _ name: String) {
        #expect(PrometheusText.name(label) == name)
    }

    @Test("Numbers are whole where they can be, and the others are as Prometheus reads them")
    func numbers() {
        let numbers: [Double] = [0, -0.0, 3, 1e15, 1e300, 0.1, .infinity, -.infinity, .nan]
        #expect(
            numbers.map(PrometheusText.number)
                == ["0", "0", "3", "1000000000000000", "1e+300", "0.1", "+Inf", "-Inf", "NaN"]
        )
    }

    @Test("A counter does not shrink")
    func counter() {
        let counter = PrometheusCounter()
        for amount in [1, -5, .nan, .infinity, 2] { counter.increment(by: amount) }
        var text = ""
        counter.write("c", "", to: &text)
        #expect(text == "c 3\n")
    }

    @Test("Labels in another order are the same series, and labels of one name are told apart")
    func labels() {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: "c", dimensions: [("b", "1"), ("a", "2")]).increment(by: 1)
        registry.makeCounter(label: "c", dimensions: [("a", "2"), ("b", "1")]).increment(by: 1)
        registry.makeMeter(label: "g", dimensions: [("a.b", "1"), ("a-b", "2"), ("a_b", "3")]).set(1.0)
        registry.makeTimer(label: "t", dimensions: [("le", "x")]).recordNanoseconds(1)
        let text = ScrapedText(registry.text())
        #expect(text.problems == [] && registry.refusedMetrics == 0)
        #expect(text["c_total{b=\"1\",a=\"2\"}"] == 2)
        #expect(text["g{a_b=\"1\",a_b_=\"2\",a_b__=\"3\"}"] == 1)
        #expect(text["t_seconds_bucket{le_=\"x\",le=\"+Inf\"}"] == 1)
    }

    @Test("A name that is one of the lines of another metric is refused")
    func reserved() {
        let registry = PrometheusRegistry()
        registry.makeTimer(label: "t", dimensions: []).recordNanoseconds(1)
        registry.makeMeter(label: "t_seconds_count", dimensions: []).set(5.0)
        registry.makeMeter(label: "u_sum", dimensions: []).set(5.0)
        registry.makeRecorder(label: "u", dimensions: [], aggregate: true).record(7.0)
        registry.makeCounter(label: "lattice.metrics.refused", dimensions: []).increment(by: 9)
        let text = ScrapedText(registry.text())
        #expect(text.problems == [] && registry.refusedMetrics == 3)
        #expect(text["t_seconds_count"] == 1 && text["u_sum"] == 5 && text["lattice_metrics_refused_total"] == 3)
    }

    @Test("The same name and labels are the same series, and recorders show what they aggregate")
    func same() {
        let registry = PrometheusRegistry()
        for _ in 0..<3 { registry.makeCounter(label: "c", dimensions: [("k", "v")]).increment(by: 1) }
        for value in [1, 2] {
            registry.makeRecorder(label: "r", dimensions: [], aggregate: true).record(Int64(value))
            registry.makeRecorder(label: "g", dimensions: [], aggregate: false).record(Int64(value))
        }
        let text = ScrapedText(registry.text())
        #expect(text["c_total{k=\"v\"}"] == 3 && text["r_sum"] == 3 && text["r_count"] == 2 && text["g"] == 2)
    }

    @Test("A name with another type, too many series and too many names are refused, and count nothing")
    func refused() {
        let registry = PrometheusRegistry()
        registry.makeCounter(label: "x.total", dimensions: []).increment(by: 1)
        registry.makeMeter(label: "x_total", dimensions: []).set(5.0)
        #expect(registry.refusedMetrics == 1)
        for number in 0...PrometheusRegistry.maximumSeries {
            registry.makeCounter(label: "s", dimensions: [("n", "\(number)")]).increment(by: 1)
        }
        #expect(registry.refusedMetrics == 2)
        for number in 0..<PrometheusRegistry.maximumFamilies {
            _ = registry.makeMeter(label: "f\(number)", dimensions: [])
        }
        #expect(registry.refusedMetrics == 4)
        let text = ScrapedText(registry.text())
        #expect(text.problems == [] && text["x_total"] == 1 && text["lattice_metrics_refused_total"] == 4)
        #expect(text.values.count == PrometheusRegistry.maximumSeries + PrometheusRegistry.maximumFamilies - 1 + 1)
    }

    @Test("A destroyed metric is not in the text any more, and its name can get another type")
    func destroyed() {
        let registry = PrometheusRegistry()
        let counter = registry.makeCounter(label: "x_total", dimensions: [])
        registry.destroyCounter(counter)
        registry.makeMeter(label: "x_total", dimensions: []).set(5.0)
        #expect(ScrapedText(registry.text())["x_total"] == 5 && registry.refusedMetrics == 0)
    }
}
