/// Asks the server to end a channel.
package struct Close: WireMessageBody {
    package static let kind = MessageKind.close

    package init() {}

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 0)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "close")
        while try fields.next() != nil {
            try fields.reader.skip()
        }
        try fields.reader.finish()
    }
}
