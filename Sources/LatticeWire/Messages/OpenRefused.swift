/// The answer to an open that leads to no channel.
package struct OpenRefused: WireMessageBody {
    package static let kind = MessageKind.openRefused

    package var code: OpenRefusalCode
    /// What to do about it, in one sentence.
    package var reason: String

    package init(code: OpenRefusalCode, reason: String) {
        self.code = code
        self.reason = reason
    }

    package func encode(into writer: inout CBORWriter) {
        CodeAndReason(code: code.rawValue, reason: reason).encode(into: &writer)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        let fields = try CodeAndReason(decoding: bytes, of: "openRefused")
        code = OpenRefusalCode(rawValue: fields.code)
        reason = fields.reason
    }
}
