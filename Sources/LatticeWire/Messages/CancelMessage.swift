/// Asks the server to cancel an event and everything that it started.
package struct CancelMessage: WireMessageBody {
    package static let kind = MessageKind.cancel

    /// The identity of the event on its channel.
    package var event: UInt64

    package init(event: UInt64) {
        self.event = event
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 1)
        writer.append(unsigned: 1)
        writer.append(unsigned: event)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "cancel")
        var event: UInt64?
        while let key = try fields.next() {
            switch key {
            case 1: event = try fields.growing()
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.event = try fields.require(event, "event")
    }
}
