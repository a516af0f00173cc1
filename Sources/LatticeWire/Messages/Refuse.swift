/// The answer that ends a session before it began.
package struct Refuse: WireMessageBody {
    package static let kind = MessageKind.refuse

    package var code: RefusalCode
    /// What to do about it, in one sentence.
    package var reason: String
    /// The versions that the refusing side speaks.
    package var versions: ClosedRange<UInt16>

    package init(code: RefusalCode, reason: String, versions: ClosedRange<UInt16> = WireVersion.supported) {
        self.code = code
        self.reason = reason
        self.versions = versions
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 4)
        writer.append(unsigned: 1)
        writer.append(unsigned: UInt64(code.rawValue))
        writer.append(unsigned: 2)
        writer.append(text: MessageLimits.trimmed(reason))
        writer.append(unsigned: 3)
        writer.append(unsigned: UInt64(versions.lowerBound))
        writer.append(unsigned: 4)
        writer.append(unsigned: UInt64(versions.upperBound))
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "refuse")
        var code, minimum, maximum: UInt16?
        var reason: String?
        while let key = try fields.next() {
            switch key {
            case 1: code = try fields.reader.unsigned(UInt16.self)
            case 2: reason = try fields.sentence("reason")
            case 3: minimum = try fields.reader.unsigned(UInt16.self)
            case 4: maximum = try fields.reader.unsigned(UInt16.self)
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.code = RefusalCode(rawValue: try fields.require(code, "code"))
        self.reason = try fields.require(reason, "reason")
        versions = try fields.versions(minimum, maximum)
    }
}
