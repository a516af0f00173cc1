/// The two fields that several endings consist of.
struct CodeAndReason {
    var code: UInt16
    var reason: String

    init(code: UInt16, reason: String) {
        self.code = code
        self.reason = reason
    }

    func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 2)
        writer.append(unsigned: 1)
        writer.append(unsigned: UInt64(code))
        writer.append(unsigned: 2)
        writer.append(text: MessageLimits.trimmed(reason))
    }

    init(decoding bytes: UnsafeRawBufferPointer, of name: String) throws(WireError) {
        var fields = try MessageFields(bytes, of: name)
        var code: UInt16?
        var reason: String?
        while let key = try fields.next() {
            switch key {
            case 1: code = try fields.reader.unsigned(UInt16.self)
            case 2: reason = try fields.sentence("reason")
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.code = try fields.require(code, "code")
        self.reason = try fields.require(reason, "reason")
    }
}
