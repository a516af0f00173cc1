/// The answer to a describe.
package struct Description: WireMessageBody {
    package static let kind = MessageKind.description

    /// One encoded CBOR map with text keys, for people and tools; who only passes it on does not decode it.
    package var payload: [UInt8]

    package init(payload: [UInt8]) {
        self.payload = payload
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 1)
        writer.append(unsigned: 1)
        writer.append(bytes: payload)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "description")
        var payload: [UInt8]?
        while let key = try fields.next() {
            switch key {
            case 1: payload = [UInt8](try fields.reader.byteString())
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.payload = try fields.require(payload, "payload")
    }
}
