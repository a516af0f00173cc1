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

    /// Appends header and body straight into the buffer that goes to the socket.
    ///
    /// - Parameter encodeState: appends the encoded state.
    /// - Throws: what `encodeState` throws, or ``WireError`` with `tooLarge`; nothing is appended then.
    package static func appendFrame(
        to bytes: inout [UInt8],
        channel: UInt32,
        revision: UInt64,
        applied: UInt64,
        encodeState: (inout CBORWriter) throws -> Void
    ) throws {
        try FrameWriter.append(kind, channel: channel, to: &bytes) { writer in
            StateFields.encode(revision: revision, applied: applied, into: &writer)
            try writer.appendByteString(encodeState)
        }
    }
}
