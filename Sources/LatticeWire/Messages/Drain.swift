/// Asks the other side to finish what is running and to take nothing new.
package struct Drain: WireMessageBody {
    package static let kind = MessageKind.drain

    /// How long that may take; what runs after it is cancelled.
    package var timeoutMilliseconds: UInt32

    package init(timeoutMilliseconds: UInt32) {
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 1)
        writer.append(unsigned: 1)
        writer.append(unsigned: UInt64(timeoutMilliseconds))
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "drain")
        var timeoutMilliseconds: UInt32?
        while let key = try fields.next() {
            switch key {
            case 1: timeoutMilliseconds = try fields.reader.unsigned(UInt32.self)
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.timeoutMilliseconds = try fields.require(timeoutMilliseconds, "timeoutMilliseconds")
    }
}
