/// The layout of a bar chart, and its text as SVG. All lengths are in pixels.
///
/// From top to bottom, the picture has the title, a legend, the bars with their names to the left and their values to
/// the right, the axis, and the source line.
struct ChartDrawing {
    static let width = 960.0
    private static let margin = 24.0
    private static let lineHeight = 18.0
    private static let barHeight = 22.0
    private static let titleHeight = 24.0
    /// The maximum number of characters in a line of a bar's name.
    private static let nameLimit = 44
    /// The maximum number of characters in a line of the title. Its letters take up to 10 px each.
    private static let titleLimit = 90
    private static let sourceLimit = Int((width - 2 * margin) / ChartText.characterWidth)

    private let chart: BarChart
    private let rows: [Row]
    private let scale: ValueScale
    private let titleLines: [String]
    private let sourceLines: [String]
    private let plotStart: Double
    private let plotEnd: Double
    private let plotTop: Double
    private let plotBottom: Double

    /// A bar with its place.
    private struct Row {
        let bar: BarChart.Bar
        let nameLines: [String]
        let value: String
        let top: Double
        let height: Double
        var middle: Double { top + height / 2 }

        func width(of text: String) -> Double { ChartText.width(of: text, isHeavy: bar.isHighlighted) }
    }

    /// A Boolean value that indicates whether there are bars of both colours, which a legend explains.
    private let hasLegend: Bool
    private var height: Double {
        plotBottom + 3 * Self.lineHeight + Double(sourceLines.count) * Self.lineHeight + Self.margin
    }

    /// Computes the layout of a chart.
    init(of chart: BarChart) {
        self.chart = chart
        titleLines = ChartText.lines(chart.title, limit: Self.titleLimit)
        sourceLines = ChartText.lines(chart.source, limit: Self.sourceLimit)
        hasLegend = Set(chart.bars.map(\.isHighlighted)).count == 2
        var top = Self.margin + Double(titleLines.count) * Self.titleHeight + (hasLegend ? 34 : 10)
        plotTop = top
        var rows: [Row] = []
        for bar in chart.sortedBars {
            let lines = ChartText.lines(bar.name, limit: Self.nameLimit)
            let height = max(Self.barHeight, Double(lines.count) * Self.lineHeight) + 10
            let value = ChartText.number(bar.value)
            rows.append(Row(bar: bar, nameLines: lines, value: value, top: top, height: height))
            top += height
        }
        self.rows = rows
        plotBottom = top
        let nameWidth = rows.flatMap { row in row.nameLines.map { row.width(of: $0) } }.max() ?? 0
        let valueWidth = rows.map { $0.width(of: $0.value) }.max() ?? 0
        plotStart = Self.margin + nameWidth + 12
        plotEnd = Self.width - Self.margin - valueWidth - 8
        let labelWidth = valueWidth + 24
        let maximumTicks = Int((plotEnd - plotStart) / labelWidth)
        scale = ValueScale(of: chart.bars.map(\.value), maximumTicks: maximumTicks)
    }

    /// Returns the picture as the text of an SVG file.
    func svg() -> String {
        let (width, height) = (Self.length(Self.width), Self.length(height))
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" role="img" \
            aria-labelledby="title description">
            <title id="title">\(ChartText.escaped(chart.title))</title>
            <desc id="description">\(ChartText.escaped(summary))</desc>
            \(Self.style)
            <rect class="page" width="\(width)" height="\(height)" rx="10"/>
            """
        let parts = [head] + titleElements + legendElements + axisElements + rows.flatMap(elements) + sourceElements
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    /// The values as a sentence, for readers who do not see the picture.
    private var summary: String {
        let values = rows.map { "\($0.bar.name): \($0.value)" }.joined(separator: "; ")
        return "\(axisTitle). \(values)."
    }

    private var axisTitle: String {
        chart.unit + (scale.isLogarithmic ? ", logarithmic scale" : "")
            + (chart.isLowerBetter ? " (shorter bars are better)" : " (longer bars are better)")
    }

    private var titleElements: [String] {
        titleLines.enumerated().map { number, line in
            Self.text(line, x: Self.margin, y: Self.margin + 16 + Double(number) * Self.titleHeight, classes: "title")
        }
    }

    private var legendElements: [String] {
        guard hasLegend else { return [] }
        let y = plotTop - 30
        let second = Self.margin + 22 + ChartText.width(of: chart.highlightedName) + 24
        return [
            Self.rectangle("bar ours", x: Self.margin, y: y, width: 14, height: 14),
            Self.text(chart.highlightedName, x: Self.margin + 22, y: y + 12, classes: "note"),
            Self.rectangle("bar", x: second, y: y, width: 14, height: 14),
            Self.text(chart.otherName, x: second + 22, y: y + 12, classes: "note"),
        ]
    }

    private var axisElements: [String] {
        let lines = scale.ticks.flatMap { tick in
            let x = position(of: scale.fraction(of: tick))
            let line = """
                <path class="\(tick == scale.start ? "axis" : "grid")" d="M\(Self.length(x)) \(Self.length(plotTop)) \
                L\(Self.length(x)) \(Self.length(plotBottom))"/>
                """
            let y = plotBottom + Self.lineHeight
            return [line, Self.text(ChartText.number(tick), x: x, y: y, classes: "note", anchor: "middle")]
        }
        let name = Self.text(
            axisTitle,
            x: Self.width - Self.margin,
            y: plotBottom + 2.2 * Self.lineHeight,
            classes: "note",
            anchor: "end"
        )
        return lines + [name]
    }

    private var sourceElements: [String] {
        sourceLines.enumerated().map { number, line in
            let y = plotBottom + (3.6 + Double(number)) * Self.lineHeight
            return Self.text(line, x: Self.margin, y: y, classes: "note")
        }
    }

    private func elements(of row: Row) -> [String] {
        let isOurs = row.bar.isHighlighted
        let firstLine = row.middle + 5 - Double(row.nameLines.count - 1) * Self.lineHeight / 2
        let names = row.nameLines.enumerated().map { number, line in
            let y = firstLine + Double(number) * Self.lineHeight
            return Self.text(line, x: plotStart - 12, y: y, classes: isOurs ? "ours" : "", anchor: "end")
        }
        let end = position(of: scale.fraction(of: row.bar.value))
        // A bar that is shorter than 2 px would look as if it were missing.
        let width = max(2, end - plotStart)
        let top = row.middle - Self.barHeight / 2
        return names + [
            Self.rectangle(
                isOurs ? "bar ours" : "bar",
                x: plotStart,
                y: top,
                width: width,
                height: Self.barHeight
            ),
            Self.text(row.value, x: plotStart + width + 8, y: row.middle + 5, classes: isOurs ? "ours" : ""),
        ]
    }

    private func position(of fraction: Double) -> Double { plotStart + fraction * (plotEnd - plotStart) }
}

extension ChartDrawing {
    private static let style = """
        <style>
          .page { fill: #ffffff; } .bar { fill: #7d8b9b; } .bar.ours { fill: #0b63ce; }
          .grid { stroke: #dde3ea; } .axis { stroke: #5b6b7f; }
          text { fill: #1b2530; font: 14px -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; }
          text.ours { font-weight: 600; } .title { font-weight: 600; font-size: 17px; }
          .note { fill: #4a5868; font-size: 13px; }
          @media (prefers-color-scheme: dark) {
            .page { fill: #11161c; } .bar { fill: #66788c; } .bar.ours { fill: #5aa2ff; }
            .grid { stroke: #2a3440; } .axis { stroke: #8797aa; } text { fill: #e6edf5; } .note { fill: #a9b6c6; }
          }
        </style>
        """

    private static func text(_ text: String, x: Double, y: Double, classes: String, anchor: String? = nil) -> String {
        let style = classes.isEmpty ? "" : "class=\"\(classes)\" "
        let end = anchor.map { " text-anchor=\"\($0)\"" } ?? ""
        return "<text \(style)x=\"\(length(x))\" y=\"\(length(y))\"\(end)>\(ChartText.escaped(text))</text>"
    }

    private static func rectangle(_ classes: String, x: Double, y: Double, width: Double, height: Double) -> String {
        let size = "width=\"\(length(width))\" height=\"\(length(height))\""
        return "<rect class=\"\(classes)\" x=\"\(length(x))\" y=\"\(length(y))\" \(size) rx=\"2\"/>"
    }

    /// Returns a length, which is not negative, with at most one decimal.
    private static func length(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
