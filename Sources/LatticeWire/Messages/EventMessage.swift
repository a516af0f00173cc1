/// An action sent from outside, with its identity.
package struct EventMessage: WireMessageBody {
    package static let kind = MessageKind.event

    /// The identity: it grows with every event of the channel and begins above 0.
    package var event: UInt64
    /// How many milliseconds after its arrival the event may still be applied.
    package var deadlineMilliseconds: UInt64?
    /// The encoded action.
    package var action: [UInt8]

    package init(event: UInt64, deadlineMilliseconds: UInt64? = nil, action: [UInt8]) {
        self.event = event
        self.deadlineMilliseconds = deadlineMilliseconds
        self.action = action
    }

    package func encode(into writer: inout CBORWriter) {
        EventMessage.encode(event, deadlineMilliseconds, into: &writer)
        writer.append(bytes: action)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        let borrowed = try Borrowed(decoding: bytes)
        self.init(
            event: borrowed.event,
            deadlineMilliseconds: borrowed.deadlineMilliseconds,
            action: [UInt8](borrowed.action)
        )
    }

    /// The message without a copy of its action.
    package struct Borrowed {
        package let event: UInt64
        package let deadlineMilliseconds: UInt64?
        /// Part of the bytes that were decoded, and valid as long as they are.
        package let action: UnsafeRawBufferPointer

        package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
            var fields = try MessageFields(bytes, of: "event")
            var event, deadline: UInt64?
            var action: UnsafeRawBufferPointer?
            while let key = try fields.next() {
                switch key {
                case 1: event = try fields.reader.unsigned()
                case 2: deadline = try fields.reader.unsigned()
                case 3: action = try fields.reader.byteString()
                default: try fields.reader.skip()
                }
            }
            try fields.reader.finish()
            self.event = try fields.require(event, "event")
            deadlineMilliseconds = deadline
            self.action = try fields.require(action, "action")
        }
    }

    /// Appends header and body straight into the buffer that goes to the socket.
    ///
    /// - Parameters:
    ///   - deadlineMilliseconds: how many milliseconds after its arrival the event may still be applied.
    ///   - encodeAction: appends the encoded action.
    /// - Throws: what `encodeAction` throws, or ``WireError`` with `tooLarge`; nothing is appended then.
    package static func appendFrame(
        to bytes: inout [UInt8],
        channel: UInt32,
        event: UInt64,
        deadlineMilliseconds: UInt64? = nil,
        encodeAction: (inout CBORWriter) throws -> Void
    ) throws {
        try FrameWriter.append(kind, channel: channel, to: &bytes) { writer in
            encode(event, deadlineMilliseconds, into: &writer)
            try writer.appendByteString(encodeAction)
        }
    }

    private static func encode(_ event: UInt64, _ deadline: UInt64?, into writer: inout CBORWriter) {
        writer.append(mapHeader: deadline == nil ? 2 : 3)
        writer.append(unsigned: 1)
        writer.append(unsigned: event)
        if let deadline {
            writer.append(unsigned: 2)
            writer.append(unsigned: deadline)
        }
        writer.append(unsigned: 3)
    }
}
