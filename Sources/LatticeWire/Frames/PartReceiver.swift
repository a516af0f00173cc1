import LatticeCoding

/// The payloads of a session that arrive in parts: the payloads that have begun, their credit, and the memory that is
/// reserved for them.
///
/// Each payload is in one of two states:
/// - *queued*: It has only the first window, which every sender knows. The bytes that arrive are kept.
/// - *admitted*: Memory for its whole length is reserved, and it has credit for all of it.
///
/// Payloads are admitted in the order in which they began, as long as their lengths together are within the limit. A
/// payload that is larger than the limit is admitted alone. An admitted payload can therefore always be completed,
/// however many others wait.
package struct PartReceiver: Sendable {
    /// The result of processing a message.
    package enum Receipt {
        /// The message has nothing to do with parts.
        case other
        /// More parts have to arrive.
        case taken
        /// A message whose payload is now complete.
        case whole(MessageKind, body: [UInt8], payload: [UInt8])
    }

    /// Credit that is to be given to the sender of a payload.
    package struct Grant: Sendable, Equatable {
        /// The channel of the payload.
        package let channel: UInt32
        /// The number of bytes that the sender may send in addition.
        package let bytes: UInt64
    }

    private struct Transfer {
        let kind: MessageKind
        let body: [UInt8]
        let length: Int
        var payload: [UInt8] = []
        var isAdmitted = false

        /// The number of bytes up to which the payload may go at present.
        var allowed: Int { isAdmitted ? length : min(length, FrameLimits.firstParts) }
    }

    /// The maximum size of a payload in parts, in bytes; 0 if none may arrive.
    package let maximumPayload: Int
    /// The maximum number of bytes that the admitted payloads may reserve together.
    package let maximumReserved: Int
    /// The number of bytes that the admitted payloads have reserved.
    package private(set) var reservedBytes = 0
    /// The number of bytes of the messages that announced the unfinished payloads.
    private var bodyBytes = 0

    private var transfers: [UInt32: Transfer] = [:]
    /// The channels of the queued payloads, in order.
    private var queue: [UInt32] = []
    private var grants: [Grant] = []

    /// Creates a receiver for one direction of a session.
    package init(maximumPayload: Int, maximumReserved: Int = FrameLimits.maximumPartAssembly) {
        self.maximumPayload = maximumPayload
        self.maximumReserved = maximumReserved
    }

    /// A Boolean value that indicates whether no payload is unfinished.
    package var isEmpty: Bool { transfers.isEmpty }

    /// Processes a whole message of the data lane on a channel.
    ///
    /// - Parameters:
    ///   - kind: The kind of the message.
    ///   - channel: The channel of the message.
    ///   - body: The body of the message, which is valid only during the call.
    /// - Returns: The message with its payload if this was the last part.
    /// - Throws: ``WireError`` for a violation.
    /// - Complexity: O(*n*) for a part, where *n* is its number of bytes; O(1) for other messages.
    package mutating func receive(
        _ kind: MessageKind,
        _ channel: UInt32,
        _ body: UnsafeRawBufferPointer
    ) throws(WireError) -> Receipt {
        if kind == .part { return try receivePart(try PartMessage.Borrowed(decoding: body).bytes, channel) }
        if !transfers.isEmpty, let open = transfers[channel] {
            throw .messageInsideParts(kind, of: open.kind, channel: channel)
        }
        // If the body cannot be read, its own reader reports the fault.
        guard let length = kind.payloadLength(in: body), kind.isReadable(body) else { return .other }
        guard length <= UInt64(maximumPayload) else {
            throw .payloadTooLarge(kind, actual: length, maximum: maximumPayload)
        }
        guard transfers.count < FrameLimits.maximumAssemblies else {
            throw .tooManyAssemblies(maximum: FrameLimits.maximumAssemblies)
        }
        // These messages are small, apart from unknown fields in them.
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
        // Appends in place. A copy for each part would make the cost quadratic in the size of the payload.
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

    /// Returns the credit that has to be given since the last call.
    package mutating func takeGrants() -> [Grant] {
        guard !grants.isEmpty else { return [] }
        defer { grants = [] }
        return grants
    }
}

extension MessageKind {
    /// The key of the payload that may arrive in parts; nil for kinds without one.
    private var payloadKey: UInt8? {
        switch self {
        case .open, .patch: 4
        case .opened, .state: 3
        default: nil
        }
    }

    /// Returns whether the bytes are a body of this kind, whose payload may arrive in parts.
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

    /// Returns the length that the body has in the place of the payload. Returns nil if it has none, or if the body is
    /// not well-formed, which its own reader reports.
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
