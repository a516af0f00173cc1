import Foundation

/// The mapping from values to lengths of bars. The scale is logarithmic if the largest value is more than two decades
/// above the smallest one, because the shortest bars would not be visible otherwise.
struct ValueScale: Equatable, Sendable {
    /// A Boolean value that indicates whether equal distances stand for equal ratios.
    let isLogarithmic: Bool
    /// The value at the beginning of the axis, which is 0 unless the scale is logarithmic.
    let start: Double
    /// The value at the end of the axis, which is the largest value.
    let end: Double
    /// The values of the grid lines, in ascending order. The first one is the beginning of the axis.
    let ticks: [Double]

    private static let maximumLinearRatio = 100.0
    /// The minimum length of a bar on a logarithmic scale, in decades.
    private static let minimumDecades = 0.15

    /// Creates a scale for values. Values that are not greater than 0 are ignored.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - maximumTicks: The maximum number of grid lines after the first one. It is at least 1.
    init(of values: [Double], maximumTicks: Int) {
        let positive = values.filter { $0 > 0 && $0.isNormal }
        let (minimum, maximum) = (positive.min() ?? 1, positive.max() ?? 1)
        end = maximum
        isLogarithmic = maximum / minimum > Self.maximumLinearRatio
        ticks =
            isLogarithmic
            ? Self.decades(from: minimum, to: maximum, maximumTicks: max(1, maximumTicks))
            : Self.multiples(to: maximum, maximumTicks: max(1, maximumTicks))
        start = ticks[0]
    }

    /// Returns the length of the bar of a value, as a fraction of the length of the axis from 0 to 1.
    func fraction(of value: Double) -> Double {
        guard value > start else { return 0 }
        let fraction =
            isLogarithmic ? (log10(value) - log10(start)) / (log10(end) - log10(start)) : value / end
        return min(1, fraction)
    }

    /// Returns powers of 10. The first one is below `minimum`, so that its bar has a length.
    private static func decades(from minimum: Double, to maximum: Double, maximumTicks: Int) -> [Double] {
        let first = Int((log10(minimum) - minimumDecades).rounded(.down))
        let last = Int(log10(maximum).rounded(.down))
        let step = max(1, (last - first + maximumTicks - 1) / maximumTicks)
        return stride(from: first, through: last, by: step).map { pow(10, Double($0)) }
    }

    /// Returns multiples of 1, 2 or 5 times a power of 10, from 0 to at most `maximum`.
    private static func multiples(to maximum: Double, maximumTicks: Int) -> [Double] {
        let smallestStep = maximum / Double(maximumTicks)
        let magnitude = pow(10, log10(smallestStep).rounded(.down))
        let step = [1, 2, 5, 10].map { $0 * magnitude }.first { $0 >= smallestStep } ?? 10 * magnitude
        let count = Int((maximum / step).rounded(.down))
        return (0...count).map { Double($0) * step }
    }
}
