import LatticeCoding

/// The payloads that come in parts on a session: which have begun, what each of them may still send, and what is
/// reserved for them.
///
/// Each is in one of two states:
/// - *queued*: it has only the first window, which every sender knows; what came of that is kept;
/// - *admitted*: its whole length is reserved, and credit given for all of it.
///
/// They are admitted in the order in which they began, as long as their lengths together are within the limit; one that
/// is larger than that goes alone. So what was admitted always comes to its end, however many wait.
package struct PartReceiver: Sendable {
    /// What became of a message.
    package enum Receipt {
        /// It is not about parts.
        case other
        /// There is more to come.
        case taken
        /// The message whose payload is whole now.
        case whole(MessageKind, body: [UInt8], payload: [UInt8])
    }

    /// Credit to be given.
    package struct Grant: Sendable, Equatable {
        package let channel: UInt32
        package let bytes: UInt64
    }

    private struct Transfer {
        let kind: MessageKind
        let body: [UInt8]
        let length: Int
        var payload: [UInt8] = []
        var isAdmitted = false

        /// How far the payload may go.
        var allowed: Int { isAdmitted ? length : min(length, FrameLimits.firstParts) }
    }

    /// Bytes that a payload in parts may have; 0: none may come.
    package let maximumPayload: Int
    /// Bytes that the admitted ones may reserve together.
    package let maximumReserved: Int
    /// Bytes that they have reserved.
    package private(set) var reservedBytes = 0
    /// Bytes of the messages that have announced parts.
    private var bodyBytes = 0

    private var transfers: [UInt32: Transfer] = [:]
    /// The channels of those that are queued, in order.
    private var queue: [UInt32] = []
    private var grants: [Grant] = []

    package init(maximumPayload: Int, maximumReserved: Int = FrameLimits.maximumPartAssembly) {
        self.maximumPayload = maximumPayload
        self.maximumReserved = maximumReserved
    }

    package var isEmpty: Bool { transfers.isEmpty }

    /// Takes a whole message of the data lane on a channel.
    ///
    /// - Parameter body: Valid during the call.
    /// - Throws: ``WireError`` for a violation.
    /// - Complexity: O(*n*), where *n* is the number of bytes of a part; O(1) for other messages.
    package mutating func receive(
        _ kind: MessageKind,
        _ channel: UInt32,
        _ body: UnsafeRawBufferPointer
    ) throws(WireError) -> Receipt {
        if kind == .part { return try receivePart(try PartMessage.Borrowed(decoding: body).bytes, channel) }
        if !transfers.isEmpty, let open = transfers[channel] {
            throw .messageInsideParts(kind, of: open.kind, channel: channel)
        }
        // What is wrong with a body that cannot be read is said by who reads it.
        guard let length = kind.payloadLength(in: body), kind.isReadable(body) else { return .other }
        guard length <= UInt64(maximumPayload) else {
            throw .payloadTooLarge(kind, actual: length, maximum: maximumPayload)
        }
        guard transfers.count < FrameLimits.maximumAssemblies else {
            throw .tooManyAssemblies(maximum: FrameLimits.maximumAssemblies)
        }
        // These are small, but for what is unknown in them.
        guard bodyBytes + body.count <= maximumReserved else {
            throw .assemblyTooLarge(actual: bodyBytes + body.count, maximum: maximumReserved)
        }
        bodyBytes += body.count
        transfers[channel] = Transfer(kind: kind, body: [UInt8](body), length: Int(length))
        queue.append(channel)
        admit()
        return .taken
    }

    private mutating func receivePart(
        _ bytes: UnsafeRawBufferPointer,
        _ channel: UInt32
    ) throws(WireError) -> Receipt {
        guard let index = transfers.index(forKey: channel) else { throw .partWithoutBeginning(channel: channel) }
        // Where it lies: a copy for each part would cost the square of the size.
        let end = transfers.values[index].payload.count + bytes.count
        let length = transfers.values[index].length
        guard end <= length else { throw .partsTooLong(actual: end, announced: length, channel: channel) }
        let allowed = transfers.values[index].allowed
        guard end <= allowed else { throw .creditExceeded(actual: end, granted: allowed, channel: channel) }
        transfers.values[index].payload.append(contentsOf: bytes)
        guard end == length else { return .taken }
        let transfer = transfers.remove(at: index).value
        bodyBytes -= transfer.body.count
        if transfer.isAdmitted { reservedBytes -= length } else { queue.removeAll { $0 == channel } }
        admit()
        return .whole(transfer.kind, body: transfer.body, payload: transfer.payload)
    }

    private mutating func admit() {
        while let channel = queue.first, let index = transfers.index(forKey: channel) {
            let length = transfers.values[index].length
            guard reservedBytes == 0 || reservedBytes + length <= maximumReserved else { return }
            queue.removeFirst()
            reservedBytes += length
            transfers.values[index].isAdmitted = true
            transfers.values[index].payload.reserveCapacity(length)
            guard length > FrameLimits.firstParts else { continue }
            grants.append(Grant(channel: channel, bytes: UInt64(length - FrameLimits.firstParts)))
        }
    }

    /// The credit that is to be given since the last call.
    package mutating func takeGrants() -> [Grant] {
        guard !grants.isEmpty else { return [] }
        defer { grants = [] }
        return grants
    }
}

extension MessageKind {
    /// The key of the payload that may come in parts.
    private var payloadKey: UInt8? {
        switch self {
        case .open, .patch: 4
        case .opened, .state: 3
        default: nil
        }
    }

    /// Whether it is the body of a message whose payload may come in parts.
    fileprivate func isReadable(_ body: UnsafeRawBufferPointer) -> Bool {
        do throws(WireError) {
            switch self {
            case .open: _ = try Open(decoding: body)
            case .opened: _ = try Opened(decoding: body)
            case .state: _ = try StateMessage(decoding: body)
            case .patch: _ = try PatchMessage(decoding: body)
            default: return false
            }
            return true
        } catch {
            return false
        }
    }

    /// The length that stands in the place of the payload; nil if there is none, or the body is not what it should be,
    /// which its own reader says.
    func payloadLength(in body: UnsafeRawBufferPointer) -> UInt64? {
        guard let payloadKey, !PlainFields.hasByteString(payloadKey, in: body) else { return nil }
        do throws(CBORError) {
            var reader = CBORReader(body)
            for _ in 0..<(try reader.mapHeader()) {
                let key = try reader.unsigned()
                if key == UInt64(payloadKey), try reader.peek() == .unsigned { return try reader.unsigned() }
                guard key < UInt64(payloadKey) else { return nil }
                try reader.skip()
            }
        } catch {}
        return nil
    }
}
