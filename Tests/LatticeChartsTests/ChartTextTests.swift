import Testing

@testable import LatticeCharts

/// Texts of charts.
@Suite struct ChartTextTests {
    @Test(
        "Numbers have the digits that are needed",
        arguments: [
            (0, "0"), (9.6, "9.6"), (77.84, "77.8"), (23, "23"), (0.25, "0.25"), (0.0004, "0.0004"), (999.96, "1,000"),
            (1234.5, "1,235"), (4_825_524, "4,825,524"), (1_000_007, "1,000,007"), (-2.5, "-2.5"),
        ] as [(Double, String)]
    )
    func numbers(value: Double, text: String) {
        #expect(ChartText.number(value) == text)
    }

    @Test("Lines end at spaces, and long words are divided")
    func lines() {
        #expect(ChartText.lines("one two three", limit: 7) == ["one two", "three"])
        #expect(ChartText.lines("a abcdefgh", limit: 3) == ["a", "abc", "def", "gh"])
        #expect(ChartText.lines("abcdef a", limit: 3) == ["abc", "def", "a"])
        #expect(ChartText.lines("", limit: 3) == [""])
    }
}
