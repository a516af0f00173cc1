import LatticeCore
import LatticeWire

/// Applies numbered actions to a state that tells the newest number.
enum EchoFeature: HostedFeature {
    static let identifier = "bench-echo"
    static var initialDomainState: EchoState { EchoState() }

    static func interactor() -> Interact<EchoState, EchoAction> {
        Interact { state, action in
            state.apply(action.number)
            return .none
        }
    }

    static func reducer() -> BuildViewState<EchoState, EchoState> {
        BuildViewState(initial: { $0 }, reducerBlock: { $1 = $0 })
    }

    /// - Throws: `BenchError` unless action and state have the size that is claimed, from the first to the last.
    static func checkSizes(upTo count: Int) throws {
        for number in [EchoAction.firstNumber, EchoAction.firstNumber + count] {
            var state = initialDomainState
            state.number = number
            let sizes = try [
                CBOREncoder().encode(EchoAction(number: number)).count,
                CBOREncoder().encode(state).count,
            ]
            guard sizes == [64, 64] else {
                throw BenchError("action and state should have 64 bytes each when encoded, but have \(sizes)")
            }
        }
    }

    typealias Action = EchoAction
    typealias DomainState = EchoState
    typealias ViewState = EchoState
}
