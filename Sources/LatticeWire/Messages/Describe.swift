/// Asks what the other side serves, whom, and how long its queues are.
package struct Describe: WireMessageBody {
    package static let kind = MessageKind.describe

    package init() {}

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 0)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "describe")
        while try fields.next() != nil {
            try fields.reader.skip()
        }
        try fields.reader.finish()
    }
}
