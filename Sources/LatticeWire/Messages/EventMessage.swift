/// An action sent from outside, with its identity.
package struct EventMessage: WireMessageBody {
    package static let kind = MessageKind.event

    /// Who sent the event, where it was not the opener of the channel.
    package struct Origin: Equatable, Sendable {
        /// What an ``OriginMessage`` before it has introduced.
        package var index: UInt32
        /// The event's number on the channel of its sender, above 0.
        package var number: UInt64

        package init(index: UInt32, number: UInt64) {
            self.index = index
            self.number = number
        }
    }

    /// The number: it grows with every event of the channel and begins above 0.
    package var event: UInt64
    /// The encoded action.
    package var action: [UInt8]
    /// Nil: the opener of the channel, and the number above.
    package var origin: Origin?

    package init(event: UInt64, action: [UInt8], origin: Origin? = nil) {
        self.event = event
        self.action = action
        self.origin = origin
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: origin == nil ? 2 : 4)
        writer.append(unsigned: 1)
        writer.append(unsigned: event)
        writer.append(unsigned: 2)
        writer.append(bytes: action)
        encodeOrigin(into: &writer)
    }

    /// The same body around its action.
    package var split: SplitBody {
        var (head, tail) = (CBORWriter(), CBORWriter())
        head.append(mapHeader: origin == nil ? 2 : 4)
        head.append(unsigned: 1)
        head.append(unsigned: event)
        head.append(unsigned: 2)
        head.append(byteStringHeader: action.count)
        encodeOrigin(into: &tail)
        return SplitBody(head: head.bytes, payload: action, tail: tail.bytes)
    }

    private func encodeOrigin(into writer: inout CBORWriter) {
        guard let origin else { return }
        writer.append(unsigned: 3)
        writer.append(unsigned: UInt64(origin.index))
        writer.append(unsigned: 4)
        writer.append(unsigned: origin.number)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        let borrowed = try Borrowed(decoding: bytes)
        self.init(
            event: borrowed.event,
            action: [UInt8](borrowed.action),
            origin: borrowed.origin
        )
    }

    /// The message without a copy of its action.
    package struct Borrowed {
        package let event: UInt64
        /// Part of the bytes that were decoded, and valid as long as they are.
        package let action: UnsafeRawBufferPointer
        package let origin: Origin?

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
                let event = fields.growing(1),
                let action = fields.byteString(2),
                fields.isAtEnd
            else { return nil }
            self.event = event
            self.action = action
            origin = nil
        }

        private init(anyForm bytes: UnsafeRawBufferPointer) throws(WireError) {
            var fields = try MessageFields(bytes, of: "event")
            var event, number: UInt64?
            var index: UInt32?
            var action: UnsafeRawBufferPointer?
            while let key = try fields.next() {
                switch key {
                case 1: event = try fields.growing()
                case 2: action = try fields.reader.byteString()
                case 3: index = try fields.number(in: 0...UInt32(MessageLimits.maximumOrigins - 1), "origin")
                case 4: number = try fields.number(in: 1...MessageLimits.maximumGrowing, "originNumber")
                default: try fields.reader.skip()
                }
            }
            try fields.reader.finish()
            self.event = try fields.require(event, "event")
            self.action = try fields.require(action, "action")
            guard index != nil || number != nil else {
                origin = nil
                return
            }
            // One makes no sense without the other.
            origin = Origin(
                index: try fields.require(index, "origin"),
                number: try fields.require(number, "originNumber")
            )
        }
    }

    /// Appends a whole frame of an event that comes from the opener of the channel.
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
