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
        writer.append(mapHeader: 2)
        writer.append(unsigned: 1)
        writer.append(unsigned: event)
        writer.append(unsigned: 2)
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
            if let plain = Borrowed(plain: bytes) {
                self = plain
            } else {
                try self.init(anyForm: bytes)
            }
        }

        @inline(__always)
        private init?(plain bytes: UnsafeRawBufferPointer) {
            guard var fields = PlainFields(bytes, count: 2),
                let event = fields.unsigned(1),
                let action = fields.byteString(2),
                fields.isAtEnd
            else { return nil }
            self.event = event
            self.action = action
        }

        private init(anyForm bytes: UnsafeRawBufferPointer) throws(WireError) {
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

    /// Appends a whole frame.
    ///
    /// - Parameter action: the encoded action; it has to fit into one frame with 32 bytes to spare.
    package static func appendFrame(to bytes: inout [UInt8], channel: UInt32, event: UInt64, action: [UInt8]) {
        FrameDraft.append(kind, channel: channel, payload: action, to: &bytes) { draft in
            draft.map(2)
            draft.unsigned(1, event)
            draft.byteString(2, length: action.count)
        }
    }
}
