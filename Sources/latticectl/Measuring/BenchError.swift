import LatticeCore

/// Why a measurement is worth nothing.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Throws unless an event was applied and all that it asked for has ended.
    static func check(_ outcome: EventOutcome, of what: @autoclosure () -> String) throws(BenchError) {
        guard outcome == .finished else { throw BenchError("\(what()) should end finished, but: \(outcome)") }
    }

    /// Throws unless a state shows what it should.
    static func check(
        _ shown: Int,
        is expected: Int,
        in state: StaticString = "the view state"
    ) throws(BenchError) {
        guard shown == expected else { throw BenchError("\(state) shows \(shown) instead of \(expected)") }
    }
}
