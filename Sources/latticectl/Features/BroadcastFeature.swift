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

/// 1,024 bytes as it is encoded: a byte string of 1,021, which begins with the number.
struct BroadcastState: Codable, Equatable, Sendable {
    static let firstNumber = 100_000
    private static let size = 1021
    private static let filling: UInt8 = 0xA5

    // Without a default: each decoded state would make it first.
    private var bytes: [UInt8]

    /// Whether nothing is missing at the end.
    var isWhole: Bool { bytes.count == Self.size && bytes[Self.size - 1] == Self.filling }

    /// - Returns: 0 for bytes that hold no number.
    var number: Int {
        get {
            guard bytes.count == Self.size else { return 0 }
            return Int(truncatingIfNeeded: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
        }
        set {
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: UInt64(bitPattern: Int64(newValue)), as: UInt64.self) }
        }
    }

    init() {
        bytes = [UInt8](repeating: Self.filling, count: Self.size)
        number = Self.firstNumber
    }

    init(from decoder: any Decoder) throws {
        bytes = try decoder.singleValueContainer().decode([UInt8].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
