import LatticeCore
import LatticeWire

/// Makes a new state of 1 KiB for each number.
enum BroadcastFeature: HostedFeature {
    static let identifier = "bench-broadcast"
    static var initialDomainState: BroadcastState { BroadcastState() }

    static func interactor() -> Interact<BroadcastState, Int> {
        Interact { state, number in
            state.number = number
            return .none
        }
    }

    static func reducer() -> BuildViewState<BroadcastState, BroadcastState> {
        BuildViewState(initial: { $0 }, reducerBlock: { $1 = $0 })
    }

    /// - Throws: `BenchError` unless the state has the size that is claimed.
    static func checkSize() throws {
        let size = try CBOREncoder().encode(initialDomainState).count
        guard size == 1024 else { throw BenchError("the state should have 1024 bytes when encoded, but has \(size)") }
    }

    typealias Action = Int
    typealias DomainState = BroadcastState
    typealias ViewState = BroadcastState
}
