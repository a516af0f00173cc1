/// The last message of a channel, from the side that serves it.
package struct Closed: WireMessageBody {
    package static let kind = MessageKind.closed

    package var code: CloseCode
    /// Why, in one sentence.
    package var reason: String

    package init(code: CloseCode, reason: String) {
        self.code = code
        self.reason = reason
    }

    package func encode(into writer: inout CBORWriter) {
        CodeAndReason(code: code.rawValue, reason: reason).encode(into: &writer)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        let fields = try CodeAndReason(decoding: bytes, of: "closed")
        code = CloseCode(rawValue: fields.code)
        reason = fields.reason
    }
}
