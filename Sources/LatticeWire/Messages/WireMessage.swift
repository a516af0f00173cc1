/// The content of one message: a CBOR map with small unsigned keys in ascending order.
///
/// Fields that a reader does not know are skipped, so a later version can add some; a field that it needs and does not
/// find is a violation.
package protocol WireMessageBody: FieldedBody, Equatable, Sendable {
    static var kind: MessageKind { get }

    /// Appends the map.
    func encode(into writer: inout CBORWriter)

    /// Reads the map.
    ///
    /// - Throws: ``WireError`` with `malformedBody`, `missingField`, `duplicateField`, `badField` or `tooLarge`.
    init(decoding bytes: UnsafeRawBufferPointer) throws(WireError)
}

extension WireMessageBody {
    package static var name: String { "\(kind)" }

    /// Reads the map from an array.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        self = try bytes.withBytes { bytes throws(WireError) in try Self(decoding: bytes) }
    }

    /// The body alone, without a frame.
    package var encoded: [UInt8] {
        var writer = CBORWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// Appends the message in one frame. The time grows with its bytes.
    ///
    /// - Parameter channel: 0 for messages of the session.
    /// - Throws: ``WireError`` with `tooLarge` for one that does not fit in; nothing is appended then.
    package func appendFrame(to bytes: inout [UInt8], channel: UInt32 = 0) throws(WireError) {
        let start = bytes.count
        // The header is filled in when the length is known.
        FrameHeader(length: 0, kind: Self.kind, channel: channel).append(to: &bytes)
        var writer = CBORWriter()
        swap(&writer.bytes, &bytes)
        encode(into: &writer)
        swap(&writer.bytes, &bytes)
        let length = bytes.count - start - FrameHeader.size
        let maximum = Self.kind.isHandshake ? FrameLimits.maximumHandshake : FrameLimits.maximumBody
        guard length <= maximum else {
            bytes.removeLast(bytes.count - start)
            throw .messageTooLarge(Self.kind, actual: length, maximum: maximum)
        }
        FrameHeader(length: UInt32(length), kind: Self.kind, channel: channel).write(to: &bytes, at: start)
    }
}

/// Any message of version 1, for who does not care which one it is: tools, tests, logs.
package enum WireMessage: Sendable {
    /// Reads the body of a message.
    ///
    /// - Throws: ``WireError``; `unknownKind` for kinds that version 1 does not send.
    package static func decode(
        _ kind: MessageKind,
        _ bytes: UnsafeRawBufferPointer
    ) throws(WireError) -> any WireMessageBody {
        guard let type = bodyType(of: kind) else { throw .unknownKind(kind.rawValue) }
        return try type.init(decoding: bytes)
    }

    /// The type that holds the body of a kind, or nil for kinds that version 1 does not send.
    package static func bodyType(of kind: MessageKind) -> (any WireMessageBody.Type)? {
        switch kind {
        case .hello: Hello.self
        case .welcome: Welcome.self
        case .refuse: Refuse.self
        case .goodbye: Goodbye.self
        case .ping: Ping.self
        case .pong: Pong.self
        case .drain: Drain.self
        case .drained: Drained.self
        case .describe: Describe.self
        case .description: Description.self
        case .open: Open.self
        case .opened: Opened.self
        case .openRefused: OpenRefused.self
        case .close: Close.self
        case .closed: Closed.self
        case .hostStatus: HostStatusMessage.self
        case .event: EventMessage.self
        case .state: StateMessage.self
        case .completion: CompletionMessage.self
        case .acknowledgement: AcknowledgementMessage.self
        case .cancel: CancelMessage.self
        case .origin: OriginMessage.self
        case .patch, .actorCall, .actorReply: nil
        }
    }
}
