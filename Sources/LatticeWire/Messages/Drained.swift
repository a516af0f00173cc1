/// Says that everything that was running has ended.
package struct Drained: WireMessageBody {
    package static let kind = MessageKind.drained

    package init() {}

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 0)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "drained")
        while try fields.next() != nil {
            try fields.reader.skip()
        }
        try fields.reader.finish()
    }
}
