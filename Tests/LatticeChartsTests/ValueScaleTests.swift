import Testing

@testable import LatticeCharts

/// Scales of charts.
@Suite struct ValueScaleTests {
    @Test("A linear scale begins at 0, ends at the largest value, and has round grid lines")
    func linear() {
        let scale = ValueScale(of: [9.6, 77.8], maximumTicks: 5)
        #expect(!scale.isLogarithmic)
        #expect(scale.ticks == [0, 20, 40, 60])
        #expect(scale.fraction(of: 77.8) == 1)
        #expect(scale.fraction(of: 38.9) == 0.5)
        #expect(scale.fraction(of: 0) == 0)
    }

    @Test("Two decades are linear, and more are logarithmic")
    func boundary() {
        #expect(!ValueScale(of: [1, 100], maximumTicks: 5).isLogarithmic)
        #expect(ValueScale(of: [1, 101], maximumTicks: 5).isLogarithmic)
    }

    @Test("A logarithmic scale has grid lines at powers of 10, and begins below the smallest value")
    func logarithmic() {
        let scale = ValueScale(of: [1, 4000], maximumTicks: 9)
        #expect(scale.ticks == [0.1, 1, 10, 100, 1000])
        #expect(scale.fraction(of: 0.1) == 0)
        #expect(abs(scale.fraction(of: 1) - 1 / (1 + 3.602)) < 0.001)
        #expect(scale.fraction(of: 4000) == 1)
    }

    @Test("There are no more grid lines than have space", arguments: 1...8)
    func maximumTicks(count: Int) {
        #expect(ValueScale(of: [1, 77.8], maximumTicks: count).ticks.count <= count + 1)
        #expect(ValueScale(of: [0.001, 1e9], maximumTicks: count).ticks.count <= count + 1)
    }

    @Test(
        "Values that have no length are ignored",
        arguments: [[], [0.0], [-1], [.nan], [.infinity], [.leastNonzeroMagnitude]]
    )
    func noLength(values: [Double]) {
        let scale = ValueScale(of: values, maximumTicks: 4)
        #expect(!scale.isLogarithmic)
        #expect(values.allSatisfy { (0...1).contains(scale.fraction(of: $0)) })
    }
}
