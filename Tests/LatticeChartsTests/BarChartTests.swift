import LatticeCharts
import Testing

/// Charts as SVG pictures.
@Suite struct BarChartTests {
    /// A text of a picture with the place at which it is drawn.
    private struct Placed {
        let text: String
        let x: Double
        let y: Double
        let anchor: String
        /// The assumed width of a character in pixels.
        let characterWidth: Double

        var width: Double { Double(text.count) * characterWidth }
        var left: Double { anchor == "end" ? x - width : anchor == "middle" ? x - width / 2 : x }
        var right: Double { left + width }
    }

    private static let chart = BarChart(
        title: "Round trip",
        unit: "µs",
        isLowerBetter: true,
        source: "Same run, medians of 3 rounds.",
        bars: [
            .init(name: "ZeroMQ", value: 77.8), .init(name: "Lattice", value: 9.6, isHighlighted: true),
            .init(name: "raw sockets", value: 53.25),
        ]
    )

    private func texts(of svg: String) throws -> [Placed] {
        try svg.matches(of: /<text ([^>]*)>([^<]*)<\/text>/).map { match in
            let attributes = Dictionary(
                match.1.matches(of: /([a-z-]+)="([^"]*)"/).map { (String($0.1), String($0.2)) },
                uniquingKeysWith: { first, _ in first }
            )
            return Placed(
                text: String(match.2),
                x: try #require(attributes["x"].flatMap { Double($0) }),
                y: try #require(attributes["y"].flatMap { Double($0) }),
                anchor: attributes["text-anchor"] ?? "start",
                characterWidth: attributes["class"] == "ours" ? 9.5 : attributes["class"] == "title" ? 10 : 8
            )
        }
    }

    /// The bars of a picture, without those of the legend.
    private func bars(of svg: String) -> [(classes: String, width: Double)] {
        svg.matches(of: /<rect class="(bar[^"]*)"[^>]* width="([0-9.]+)" height="22"/)
            .map { (String($0.1), Double($0.2) ?? 0) }
    }

    @Test("The best bar is first, and lengths are in the ratio of the values")
    func orderAndLengths() throws {
        let bars = bars(of: Self.chart.svg())
        try #require(bars.count == 3)
        #expect(bars.map(\.classes) == ["bar ours", "bar", "bar"])
        #expect(abs(bars[0].width / bars[2].width - 9.6 / 77.8) < 0.001)
        #expect(abs(bars[1].width / bars[2].width - 53.25 / 77.8) < 0.001)
        var rates = Self.chart
        rates.isLowerBetter = false
        #expect(rates.sortedBars.map(\.name) == ["ZeroMQ", "raw sockets", "Lattice"])
    }

    @Test("Names, values, title, unit and source are in the picture")
    func texts() throws {
        let texts = try texts(of: Self.chart.svg()).map(\.text)
        let expected = [
            "Round trip", "Lattice", "9.6", "raw sockets", "53.3", "ZeroMQ", "77.8", "Same run, medians of 3 rounds.",
            "µs (shorter bars are better)", "other programs",
        ]
        for text in expected { #expect(texts.contains(text), "no text \(text)") }
    }

    @Test("The axis names a logarithmic scale if values span more than two decades")
    func logarithmic() throws {
        var chart = Self.chart
        chart.isLowerBetter = false
        chart.bars.append(.init(name: "slow", value: 9600))
        let svg = chart.svg()
        #expect(try texts(of: svg).contains { $0.text == "µs, logarithmic scale (longer bars are better)" })
        let widths = bars(of: svg).map(\.width)
        #expect(widths == widths.sorted(by: >))
        #expect(widths.allSatisfy { $0 > 10 })
    }

    @Test("The description has the values in the order of the bars")
    func description() {
        let description = "µs (shorter bars are better). Lattice: 9.6; raw sockets: 53.3; ZeroMQ: 77.8."
        #expect(Self.chart.svg().contains("<desc id=\"description\">\(description)</desc>"))
    }

    @Test("A legend is drawn only if there are bars of both colours")
    func legend() throws {
        var chart = Self.chart
        chart.bars.removeFirst()
        chart.bars.removeLast()
        let texts = try texts(of: chart.svg()).map(\.text)
        #expect(texts.filter { $0 == "Lattice" }.count == 1)
        #expect(!texts.contains("other programs"))
    }

    @Test("All texts are inside the picture and beside their bars, even if they are long")
    func longTexts() throws {
        var chart = Self.chart
        chart.title = String(repeating: "A long title ", count: 20)
        chart.source = String(repeating: "A long source line ", count: 20)
        let name = "a name with several words that takes more than one line "
        chart.bars = [
            .init(name: name + name, value: 123_456_789, isHighlighted: true),
            .init(name: String(repeating: "w", count: 100), value: 1_234_567_890),
        ]
        let svg = chart.svg()
        let height = try #require(svg.firstMatch(of: /viewBox="0 0 960 ([0-9.]+)"/).flatMap { Double($0.1) })
        let texts = try texts(of: svg)
        #expect(texts.allSatisfy { $0.left >= 24 && $0.right <= 936 && $0.y > 20 && $0.y < height - 10 })
        let plotStart = try #require(svg.firstMatch(of: /class="axis" d="M([0-9.]+)/).flatMap { Double($0.1) })
        let names = texts.filter { $0.anchor == "end" && !$0.text.hasPrefix("µs") }
        #expect(names.count >= 6)
        #expect(names.allSatisfy { $0.right < plotStart })
        // Lines do not overlap.
        for (line, next) in zip(names, names.dropFirst()) { #expect(next.y - line.y >= 18) }
    }

    @Test("Labels of the axis do not overlap", arguments: [0.0123, 9.99, 761.8, 5_707_682, 999_999_999])
    func axisLabels(largest: Double) throws {
        for ratio in [0.5, 0.001, 0.000_000_1] {
            var chart = Self.chart
            chart.bars = [.init(name: "a", value: largest), .init(name: "b", value: largest * ratio)]
            let labels = try texts(of: chart.svg()).filter { $0.anchor == "middle" }
            #expect(labels.count >= 2)
            for (label, next) in zip(labels, labels.dropFirst()) { #expect(label.right + 8 <= next.left) }
        }
    }

    @Test("Characters that XML reserves or forbids are replaced")
    func escaping() throws {
        var chart = Self.chart
        chart.title = "a < b & \"c\" > d\u{0}e"
        let svg = chart.svg()
        #expect(svg.contains("<title id=\"title\">a &lt; b &amp; &quot;c&quot; &gt; d e</title>"))
        #expect(!svg.contains("\u{0}"))
    }

    @Test("The picture has colours for light and for dark pages")
    func colours() {
        let svg = Self.chart.svg()
        #expect(svg.contains("@media (prefers-color-scheme: dark)"))
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" "))
        #expect(svg.hasSuffix("</svg>\n"))
    }

    @Test("A chart without bars is a picture too")
    func empty() throws {
        var chart = Self.chart
        chart.bars = []
        #expect(try texts(of: chart.svg()).contains { $0.text == "Round trip" })
    }
}
