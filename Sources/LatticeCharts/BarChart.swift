/// A chart of horizontal bars, each with its name and its value. It is written as an SVG picture that is readable on
/// light and on dark pages.
package struct BarChart: Equatable, Sendable {
    /// One bar of a chart.
    package struct Bar: Equatable, Sendable {
        /// The text to the left of the bar. It is wrapped if it is long.
        package var name: String
        /// The length of the bar, in the unit of the chart. It is greater than 0.
        package var value: Double
        /// A Boolean value that indicates whether the bar has the other colour, and its name heavier letters.
        package var isHighlighted: Bool

        /// Creates a bar.
        package init(name: String, value: Double, isHighlighted: Bool = false) {
            self.name = name
            self.value = value
            self.isHighlighted = isHighlighted
        }
    }

    /// The text above the bars.
    package var title: String
    /// The unit of the values, such as "µs" or "messages per second". It is the name of the axis.
    package var unit: String
    /// A Boolean value that indicates whether a shorter bar is a better result. The axis says so, and the shortest bar
    /// is the first.
    package var isLowerBetter: Bool
    /// The sentence below the chart that says how the values were measured.
    package var source: String
    /// What the highlighted bars stand for.
    package var highlightedName = "Lattice"
    /// What the other bars stand for.
    package var otherName = "other programs"
    /// The bars, in any order. The best one is drawn first.
    package var bars: [Bar]

    /// Creates a chart.
    package init(title: String, unit: String, isLowerBetter: Bool, source: String, bars: [Bar]) {
        self.title = title
        self.unit = unit
        self.isLowerBetter = isLowerBetter
        self.source = source
        self.bars = bars
    }

    /// The bars from the best to the worst. Bars with the same value are ordered by their names.
    package var sortedBars: [Bar] {
        bars.sorted { left, right in
            guard left.value != right.value else { return left.name < right.name }
            return (left.value < right.value) == isLowerBetter
        }
    }

    /// Returns the chart as the text of an SVG file.
    package func svg() -> String {
        ChartDrawing(of: self).svg()
    }
}
