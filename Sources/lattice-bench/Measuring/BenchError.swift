import LatticeCore

/// The error of a measurement with a wrong result.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Throws an error unless an event has finished.
    static func check(_ outcome: EventOutcome, of what: @autoclosure () -> String) throws(BenchError) {
        guard outcome == .finished else {
            throw BenchError(
                "\(what()) should have finished, but its outcome is: \(outcome)"
            )
        }
    }

    /// Throws an error unless a state shows the expected number.
    static func check(
        _ shown: Int,
        is expected: Int,
        in state: StaticString = "the view state"
    ) throws(BenchError) {
        guard shown == expected else { throw BenchError("\(state) shows \(shown) instead of \(expected)") }
    }
}
