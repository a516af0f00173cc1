import LatticeCoding
import LatticeCore
import LatticeWire

/// A feature with a new state of 1 KiB for each number.
enum BroadcastFeature: HostedFeature {
    static let identifier = "bench-broadcast"
    /// The bytes of a state. Encoded, a state has 1,024 bytes.
    static let size = 1021
    static func initialDomainState(in context: HostContext) -> NumberedBytes {
        NumberedBytes(NumberedBytes.firstNumber, count: size)
    }

    static func interactor(in context: HostContext) -> Interact<NumberedBytes, Int> {
        Interact { state, number in
            state.number = number
            return .none
        }
    }

    static func reducer() -> BuildViewState<NumberedBytes, NumberedBytes> { .asItIs }

    /// Checks that a state has 1,024 bytes when encoded.
    ///
    /// - Throws: `BenchError` if it has another size.
    static func checkSize() throws {
        let size = try CBOREncoder().encode(NumberedBytes(NumberedBytes.firstNumber, count: size)).count
        guard size == 1024 else { throw BenchError("the state should have 1024 bytes when encoded, but has \(size)") }
    }
}
