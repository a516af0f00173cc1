import LatticeCoding
import LatticeCore
import LatticeWire

/// Makes a new state of 1 KiB for each number.
enum BroadcastFeature: HostedFeature {
    static let identifier = "bench-broadcast"
    /// Bytes of a state, which are 1,024 when they are encoded.
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

    /// - Throws: `BenchError` unless the state has the size that is claimed.
    static func checkSize() throws {
        let size = try CBOREncoder().encode(NumberedBytes(NumberedBytes.firstNumber, count: size)).count
        guard size == 1024 else { throw BenchError("the state should have 1024 bytes when encoded, but has \(size)") }
    }
}
