/// A sign of life, from the thread that does the work.
package struct Pong: WireMessageBody {
    package static let kind = MessageKind.pong

    /// The number that answers no ping: the thread is held up by a large value, and goes on.
    package static let unasked: UInt64 = 0

    /// The number of the ping that this answers, or ``unasked``.
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
        var fields = try MessageFields(bytes, of: "pong")
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
