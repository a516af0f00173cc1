import LatticeCoding
import LatticeCore
import LatticeWire

/// Applies numbered actions to a state that tells the newest number.
enum EchoFeature: HostedFeature {
    static let identifier = "bench-echo"
    /// Bytes of an action, which are 64 when they are encoded.
    private static let actionSize = 62
    static func initialDomainState(in context: HostContext) -> EchoState { EchoState() }

    static func interactor(in context: HostContext) -> Interact<EchoState, NumberedBytes> {
        Interact { state, action in
            state.apply(action.isWhole(actionSize) ? action.number : 0)
            return .none
        }
    }

    static func reducer() -> BuildViewState<EchoState, EchoState> { .asItIs }

    // Copied: making the bytes anew has their type looked up each time, 3 % of the CPU of the events.
    private static let pattern = NumberedBytes(NumberedBytes.firstNumber, count: actionSize)

    static func action(_ number: Int) -> NumberedBytes {
        var action = pattern
        action.number = number
        return action
    }

    /// - Throws: `BenchError` unless action and state have the size that is claimed, from the first to the last.
    static func checkSizes(upTo count: Int) throws {
        for number in [NumberedBytes.firstNumber, NumberedBytes.firstNumber + count] {
            var state = EchoState()
            state.number = number
            let sizes = try [
                CBOREncoder().encode(action(number)).count,
                CBOREncoder().encode(state).count,
            ]
            guard sizes == [64, 64] else {
                throw BenchError("action and state should have 64 bytes each when encoded, but have \(sizes)")
            }
        }
    }
}

/// 64 bytes as it is encoded.
struct EchoState: Codable, Equatable, Sendable {
    /// The number of the newest action.
    var number = NumberedBytes.firstNumber - 1
    /// Actions whose number was not the one after the one before.
    var gaps = 0
    var payload = [UInt8](repeating: 0xA5, count: 35)

    mutating func apply(_ number: Int) {
        if number != self.number + 1 { gaps += 1 }
        self.number = number
    }
}
