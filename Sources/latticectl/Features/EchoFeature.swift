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

/// 64 bytes as it is encoded: a byte string of 62, which begins with the number.
///
/// One value and no names of fields, as the peers' messages have none: they are 64 raw bytes.
struct EchoAction: Codable, Sendable {
    /// Numbers start here, so that each has the same length in the state on the wire.
    static let firstNumber = 100_000

    private static let filling = [UInt8](repeating: 0x5A, count: 62)

    private let bytes: [UInt8]

    /// - Returns: 0 for bytes that hold no number.
    var number: Int {
        guard bytes.count == Self.filling.count else { return 0 }
        let number = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        return Int(truncatingIfNeeded: number)
    }

    init(number: Int) {
        var bytes = Self.filling
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian, as: UInt64.self)
        }
        self.bytes = bytes
    }

    init(from decoder: any Decoder) throws {
        bytes = try decoder.singleValueContainer().decode([UInt8].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}

/// 64 bytes as it is encoded.
struct EchoState: Codable, Equatable, Sendable {
    /// The number of the newest action.
    var number = EchoAction.firstNumber - 1
    /// Actions whose number was not the one after the one before.
    var gaps = 0
    var payload = [UInt8](repeating: 0xA5, count: 35)

    mutating func apply(_ number: Int) {
        if number != self.number + 1 { gaps += 1 }
        self.number = number
    }
}
