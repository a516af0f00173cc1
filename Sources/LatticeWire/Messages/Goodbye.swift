/// The last message of a session.
package struct Goodbye: WireMessageBody {
    package static let kind = MessageKind.goodbye

    package var code: GoodbyeCode
    /// Why, in one sentence.
    package var reason: String

    package init(code: GoodbyeCode, reason: String) {
        self.code = code
        self.reason = reason
    }

    package func encode(into writer: inout CBORWriter) {
        CodeAndReason(code: code.rawValue, reason: reason).encode(into: &writer)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        let fields = try CodeAndReason(decoding: bytes, of: "goodbye")
        code = GoodbyeCode(rawValue: fields.code)
        reason = fields.reason
    }
}
