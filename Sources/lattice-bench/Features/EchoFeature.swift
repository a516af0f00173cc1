import LatticeCoding
import LatticeCore
import LatticeWire

/// Applies numbered actions to a state that contains the newest number.
enum EchoFeature: HostedFeature {
    static let identifier = "bench-echo"
    /// The bytes of an action. Encoded, an action has 64 bytes.
    private static let actionSize = 62
    static func initialDomainState(in context: HostContext) -> EchoState { EchoState() }

    static func interactor(in context: HostContext) -> Interact<EchoState, NumberedBytes> {
        Interact { state, action in
            state.apply(action.isWhole(actionSize) ? action.number : 0)
            return .none
        }
    }

    static func reducer() -> BuildViewState<EchoState, EchoState> { .asItIs }

    // Actions are copied from this value. Creating the bytes again looks up their type each time, which took 3 % of the
    // CPU of the events.
    private static let pattern = NumberedBytes(NumberedBytes.firstNumber, count: actionSize)

    static func action(_ number: Int) -> NumberedBytes {
        var action = pattern
        action.number = number
        return action
    }

    /// Checks that the first and the last action and state have 64 bytes each when encoded.
    ///
    /// - Throws: `BenchError` if they have another size.
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

/// Answers with what the process that runs the interactor has counted.
extension EchoFeature: AnsweringFeature {
    struct Counts: Codable, Sendable {}

    static func answer(_ question: Counts, from state: EchoState, in context: HostContext) -> ProcessCounts {
        ProcessCounts()
    }
}

/// The state, which has 64 bytes when encoded.
struct EchoState: Codable, Equatable, Sendable {
    /// The number of the newest action.
    var number = NumberedBytes.firstNumber - 1
    /// The number of actions whose number did not follow the previous one.
    var gaps = 0
    var payload = [UInt8](repeating: 0xA5, count: 35)

    mutating func apply(_ number: Int) {
        if number != self.number + 1 { gaps += 1 }
        self.number = number
    }
}
