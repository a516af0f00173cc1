/// An action sent from outside, with its identity.
package struct EventMessage: WireMessageBody {
    package static let kind = MessageKind.event

    /// The identity: it grows with every event of the channel and begins above 0.
    package var event: UInt64
    /// The encoded action.
    package var action: [UInt8]

    package init(event: UInt64, action: [UInt8]) {
        self.event = event
        self.action = action
    }

    package func encode(into writer: inout CBORWriter) {
        EventMessage.encode(event, into: &writer)
        writer.append(bytes: action)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        let borrowed = try Borrowed(decoding: bytes)
        self.init(
            event: borrowed.event,
            action: [UInt8](borrowed.action)
        )
    }

    /// The message without a copy of its action.
    package struct Borrowed {
        package let event: UInt64
        /// Part of the bytes that were decoded, and valid as long as they are.
        package let action: UnsafeRawBufferPointer

        package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
            var fields = try MessageFields(bytes, of: "event")
            var event: UInt64?
            var action: UnsafeRawBufferPointer?
            while let key = try fields.next() {
                switch key {
                case 1: event = try fields.reader.unsigned()
                case 2: action = try fields.reader.byteString()
                default: try fields.reader.skip()
                }
            }
            try fields.reader.finish()
            self.event = try fields.require(event, "event")
            self.action = try fields.require(action, "action")
        }
    }

    /// Appends header and body straight into the buffer that goes to the socket.
    ///
    /// - Parameter encodeAction: appends the encoded action.
    /// - Throws: what `encodeAction` throws, or ``WireError`` with `tooLarge`; nothing is appended then.
    package static func appendFrame(
        to bytes: inout [UInt8],
        channel: UInt32,
        event: UInt64,
        encodeAction: (inout CBORWriter) throws -> Void
    ) throws {
        try FrameWriter.append(kind, channel: channel, to: &bytes) { writer in
            encode(event, into: &writer)
            try writer.appendByteString(encodeAction)
        }
    }

    private static func encode(_ event: UInt64, into writer: inout CBORWriter) {
        writer.append(mapHeader: 2)
        writer.append(unsigned: 1)
        writer.append(unsigned: event)
        writer.append(unsigned: 2)
    }
}
