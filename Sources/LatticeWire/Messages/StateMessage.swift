/// A feature's state, and with it the acknowledgement of every event up to ``applied``.
package struct StateMessage: WireMessageBody {
    package static let kind = MessageKind.state

    /// Grows with every state of the channel.
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
        let borrowed = try Borrowed(decoding: bytes)
        self.init(revision: borrowed.revision, applied: borrowed.applied, state: [UInt8](borrowed.state))
    }

    /// The message without a copy of its state.
    package struct Borrowed {
        package let revision: UInt64
        package let applied: UInt64
        /// Part of the bytes that were decoded, and valid as long as they are.
        package let state: UnsafeRawBufferPointer

        package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
            let fields = try StateFields(decoding: bytes, of: "state")
            revision = fields.revision
            applied = fields.applied
            state = fields.state
        }
    }

    /// Appends a whole frame.
    ///
    /// - Parameter state: the encoded state; it has to fit into one frame with 32 bytes to spare.
    package static func appendFrame(
        to bytes: inout [UInt8],
        channel: UInt32,
        revision: UInt64,
        applied: UInt64,
        state: [UInt8]
    ) {
        FrameDraft.append(kind, channel: channel, payload: state, to: &bytes) { draft in
            draft.map(3)
            draft.unsigned(1, revision)
            draft.unsigned(2, applied)
            draft.byteString(3, length: state.count)
        }
    }
}
