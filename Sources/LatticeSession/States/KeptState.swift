import LatticeWire

/// The state that the next server of a channel starts from. It consists of the received bytes, or of a closure that
/// encodes them, and the changes since then.
package struct KeptState: Sendable {
    private enum Base: Sendable {
        case bytes([UInt8])
        case encoded(by: @Sendable () throws -> [UInt8])
    }

    private var base: Base
    private var changes: [[UInt8]] = []
    private var changeBytes = 0
    /// The maximum size in bytes of the state after its changes.
    private var maximum = FrameLimits.maximumState

    /// Whether the bytes of the state are present and no changes have to be applied.
    var isReady: Bool { if case .bytes = base { changes.isEmpty } else { false } }

    /// The number of bytes of the state and its changes, or nil if the state is encoded when it is needed.
    var byteCount: Int? { if case .bytes(let state) = base { state.count + changeBytes } else { nil } }

    /// Creates a state from its encoded bytes.
    package init(_ state: [UInt8]) {
        base = .bytes(state)
    }

    /// Creates a state that is encoded when it is needed.
    package init(encodedBy encode: @escaping @Sendable () throws -> [UInt8]) {
        base = .encoded(by: encode)
    }

    /// Adds a change of the state.
    ///
    /// If the state consists of bytes, its changes are applied or merged when they become too many. If its owner
    /// encodes it, it is replaced at each delivery, so its changes are those of one tick. They are then never applied
    /// here.
    package mutating func change(by change: [UInt8], _ limits: ChannelLimits) {
        changes.append(change)
        changeBytes += change.count
        maximum = limits.maximumState
        guard case .bytes(let state) = base else { return }
        if changeBytes > max(limits.maximumChangeBytes, state.count) {
            self = ready()
        } else if changes.count > limits.maximumChanges {
            // Many small changes do not justify copying a large state. An error in the changes is reported when the
            // state is needed.
            guard let folded = try? StateChange.fold(changes) else {
                self = ready()
                return
            }
            changes = [folded]
            changeBytes = folded.count
        }
    }

    /// Returns this state as bytes without changes, or as a state whose encoding throws the present error.
    func ready() -> KeptState {
        let state = Result { try encoded() }
        return switch state {
        case .success(let state): KeptState(state)
        case .failure: KeptState(encodedBy: { try state.get() })
        }
    }

    /// Returns the encoded state with its changes.
    ///
    /// - Throws: The error of the encoding or of a change. The error is `tooLarge` if a change makes the state larger
    ///   than the limit.
    package func encoded() throws -> [UInt8] {
        let state =
            switch base {
            case .bytes(let state): state
            case .encoded(let encode): try encode()
            }
        return changes.isEmpty ? state : try StateChange(StateChange.fold(changes)).apply(to: state, maximum: maximum)
    }
}

extension StateChange {
    /// Returns one encoded change that has the same effect as several changes in a row.
    ///
    /// - Parameter changes: At least one change.
    /// - Complexity: O(*n* log *m*), where *n* is the number of bytes and *m* is the number of changes.
    static func fold(_ changes: some RandomAccessCollection<[UInt8]>) throws(WireError) -> [UInt8] {
        guard changes.count > 1 else { return changes.first ?? [] }
        // The changes are halved recursively, so that a byte is not copied once for each later change.
        let middle = changes.index(changes.startIndex, offsetBy: changes.count / 2)
        let earlier = StateChange(try fold(changes[..<middle]))
        return try earlier.folded(with: StateChange(try fold(changes[middle...]))).bytes
    }
}
