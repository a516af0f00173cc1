/// The answer to an open: the channel exists, and this is its state.
package struct Opened: WireMessageBody {
    package static let kind = MessageKind.opened

    package var revision: UInt64
    /// The highest event of this channel that is in the state.
    package var applied: UInt64
    /// The encoded state.
    package var state: [UInt8]

    package init(revision: UInt64, applied: UInt64, state: [UInt8]) {
        self.revision = revision
        self.applied = applied
        self.state = state
    }

    package func encode(into writer: inout CBORWriter) {
        StateFields.encode(revision: revision, applied: applied, into: &writer)
        writer.append(bytes: state)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        let fields = try StateFields(decoding: bytes, of: "opened")
        revision = fields.revision
        applied = fields.applied
        state = [UInt8](fields.state)
    }
}
