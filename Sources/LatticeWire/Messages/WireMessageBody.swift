/// The content of one message: a CBOR map with small unsigned keys in ascending order.
///
/// Fields that a reader does not know are skipped, so a later version can add some; a field that it needs and does not
/// find is a violation.
package protocol WireMessageBody: Equatable, Sendable {
    static var kind: MessageKind { get }

    /// Appends the map.
    func encode(into writer: inout CBORWriter)

    /// Reads the map.
    ///
    /// - Throws: ``WireError`` with `malformedBody`, `missingField`, `duplicateField`, `badField` or `tooLarge`.
    init(decoding bytes: UnsafeRawBufferPointer) throws(WireError)
}

extension WireMessageBody {
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

    /// Appends the message in as many frames as it takes.
    ///
    /// - Parameter channel: 0 for messages of the session.
    /// - Throws: ``WireError`` with `tooLarge`; nothing is appended then.
    package func appendFrame(to bytes: inout [UInt8], channel: UInt32 = 0) throws(WireError) {
        let start = FrameWriter.begin(&bytes)
        var writer = CBORWriter()
        swap(&writer.bytes, &bytes)
        encode(into: &writer)
        swap(&writer.bytes, &bytes)
        try FrameWriter.finish(&bytes, at: start, kind: Self.kind, channel: channel)
    }
}
