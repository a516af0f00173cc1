/// Asks the other side for a sign of life.
package struct Ping: WireMessageBody {
    package static let kind = MessageKind.ping

    /// Comes back in the pong.
    package var number: UInt64

    package init(number: UInt64) {
        self.number = number
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 1)
        writer.append(unsigned: 1)
        writer.append(unsigned: number)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "ping")
        var number: UInt64?
        while let key = try fields.next() {
            switch key {
            case 1: number = try fields.reader.unsigned()
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.number = try fields.require(number, "number")
    }
}
