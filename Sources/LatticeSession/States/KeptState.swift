import LatticeWire

/// The state that whoever serves a channel next starts from: what came as a whole, or is encoded when it is needed, and
/// what has changed since.
package struct KeptState: Sendable {
    private enum Base: Sendable {
        case bytes([UInt8])
        case encoded(by: @Sendable () throws -> [UInt8])
    }

    private var base: Base
    private var changes: [[UInt8]] = []
    private var changeBytes = 0
    /// Changes do not make it larger.
    private var maximum = FrameLimits.maximumState

    /// Whether its bytes are here as they are.
    var isReady: Bool { if case .bytes = base { changes.isEmpty } else { false } }

    package init(_ state: [UInt8]) {
        base = .bytes(state)
    }

    package init(encodedBy encode: @escaping @Sendable () throws -> [UInt8]) {
        base = .encoded(by: encode)
    }

    /// The state has changed. Of many changes of bytes the bytes are made that they lead to.
    ///
    /// A state that its owner encodes is given anew with each delivery, so its changes are those of one tick: nothing
    /// is encoded here for them.
    package mutating func change(by change: [UInt8], _ limits: ChannelLimits) {
        changes.append(change)
        changeBytes += change.count
        maximum = limits.maximumState
        guard case .bytes(let state) = base else { return }
        if changeBytes > max(limits.maximumChangeBytes, state.count) {
            self = ready()
        } else if changes.count > limits.maximumChanges {
            // Many small changes are no reason to go over a large state. Bad ones are told when it is asked for.
            guard let folded = try? StateChange.fold(changes) else {
                self = ready()
                return
            }
            changes = [folded]
            changeBytes = folded.count
        }
    }

    /// The same with its bytes, or with the error that there is instead.
    func ready() -> KeptState {
        let state = Result { try encoded() }
        return switch state {
        case .success(let state): KeptState(state)
        case .failure: KeptState(encodedBy: { try state.get() })
        }
    }

    /// The state as it is now.
    ///
    /// - Throws: What its encoding or the making of its changes throws: `tooLarge` above the limit for states.
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
    /// One encoded change that does what several do, one after the other.
    ///
    /// - Parameter changes: At least one.
    /// - Complexity: O(*n* log *m*), where *n* is the number of bytes and *m* that of changes.
    static func fold(_ changes: some RandomAccessCollection<[UInt8]>) throws(WireError) -> [UInt8] {
        guard changes.count > 1 else { return changes.first ?? [] }
        // By halves, so that a byte is not copied for each change behind it.
        let middle = changes.index(changes.startIndex, offsetBy: changes.count / 2)
        let earlier = StateChange(try fold(changes[..<middle]))
        return try earlier.folded(with: StateChange(try fold(changes[middle...]))).bytes
    }
}
