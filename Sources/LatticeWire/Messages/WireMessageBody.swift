package import LatticeCoding

/// The content of one message: a CBOR map with small unsigned keys in ascending order.
///
/// A reader skips fields that it does not know, so a later version can add fields. A required field that is absent is a
/// violation.
package protocol WireMessageBody: FieldedBody, Equatable, Sendable {
    /// The kind of the message.
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

    /// The encoded body, without a frame.
    package var encoded: [UInt8] {
        var writer = CBORWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// Appends the message in one frame.
    ///
    /// - Parameters:
    ///   - bytes: The buffer to which the frame is appended.
    ///   - channel: The channel of the message; 0 for messages of the session.
    /// - Throws: ``WireError`` with `tooLarge` if the message does not fit into one frame. Nothing is appended then.
    /// - Complexity: O(*n*), where *n* is the number of bytes of the message.
    package func appendFrame(to bytes: inout [UInt8], channel: UInt32 = 0) throws(WireError) {
        let start = bytes.count
        // The header is filled in once the length is known.
        var header = FrameHeader(
            length: 0,
            kind: Self.kind,
            flags: Self.kind.isSkippable ? .skippable : [],
            channel: channel
        )
        header.append(to: &bytes)
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
        header.length = UInt32(length)
        header.write(to: &bytes, at: start)
    }
}
