package import LatticeCoding

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

    /// Appends the message in one frame.
    ///
    /// - Parameter channel: 0 for messages of the session.
    /// - Throws: ``WireError`` with `tooLarge` for one that does not fit in; nothing is appended then.
    /// - Complexity: O(*n*), where *n* is the number of its bytes.
    package func appendFrame(to bytes: inout [UInt8], channel: UInt32 = 0) throws(WireError) {
        let start = bytes.count
        // The header is filled in when the length is known.
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
