/// The answer to an open: the channel exists, and this is its state.
package struct Opened: WireMessageBody {
    package static let kind = MessageKind.opened

    package var revision: UInt64
    /// The highest event of this channel that is in the state.
    package var applied: UInt64
    /// The encoded state.
    package var state: [UInt8]
    /// Names what the sender keeps of this channel for the opener to come back to; nil if it keeps nothing.
    package var record: UInt64?

    package init(revision: UInt64, applied: UInt64, state: [UInt8], record: UInt64? = nil) {
        self.revision = revision
        self.applied = applied
        self.state = state
        self.record = record
    }

    package func encode(into writer: inout CBORWriter) {
        StateFields.encode(revision: revision, applied: applied, count: record == nil ? 3 : 4, into: &writer)
        writer.append(bytes: state)
        guard let record else { return }
        writer.append(unsigned: 4)
        writer.append(unsigned: record)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        let fields = try StateFields(decoding: bytes, of: "opened")
        revision = fields.revision
        applied = fields.applied
        state = [UInt8](fields.state)
        record = fields.record
    }
}
