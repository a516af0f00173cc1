/// Says from whom events of this channel come: those that carry the index from here on, up to the next message with it.
package struct OriginMessage: WireMessageBody {
    package static let kind = MessageKind.origin

    /// Below ``MessageLimits/maximumOrigins``.
    package var index: UInt32
    /// The sender's identity: 16 bytes.
    package var sender: [UInt8]
    /// The number of the sender's channel, above 0.
    package var channel: UInt32

    package init(index: UInt32, sender: [UInt8], channel: UInt32) {
        self.index = index
        self.sender = sender
        self.channel = channel
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 3)
        writer.append(unsigned: 1)
        writer.append(unsigned: UInt64(index))
        writer.append(unsigned: 2)
        writer.append(bytes: sender)
        writer.append(unsigned: 3)
        writer.append(unsigned: UInt64(channel))
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "origin")
        var index, channel: UInt32?
        var sender: [UInt8]?
        while let key = try fields.next() {
            switch key {
            case 1: index = try fields.number(in: 0...UInt32(MessageLimits.maximumOrigins - 1), "index")
            case 2: sender = try fields.identity("sender")
            case 3: channel = try fields.number(in: 1...UInt32.max, "channel")
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.index = try fields.require(index, "index")
        self.sender = try fields.require(sender, "sender")
        self.channel = try fields.require(channel, "channel")
    }
}

extension MessageFields {
    /// Exactly ``MessageLimits/maximumIdentity`` bytes.
    mutating func identity(_ field: String) throws(WireError) -> [UInt8] {
        let bytes = try identityOrNone(field)
        let size = MessageLimits.maximumIdentity
        guard !bytes.isEmpty else { throw .fieldTooSmall(field, actual: 0, minimum: size) }
        return bytes
    }

    /// The same, or none.
    mutating func identityOrNone(_ field: String) throws(WireError) -> [UInt8] {
        let size = MessageLimits.maximumIdentity
        let bytes = try bytes(maximum: size, field)
        guard bytes.isEmpty || bytes.count == size else {
            throw .fieldTooSmall(field, actual: bytes.count, minimum: size)
        }
        return bytes
    }
}
