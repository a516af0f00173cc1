/// The state of a feature, and with it the acknowledgement of all events up to ``applied``.
package struct StateMessage: WireMessageBody {
    package static let kind = MessageKind.state

    /// The revision of the state, which grows with each state of the channel.
    package var revision: UInt64
    /// The highest event of this channel that is in the state.
    package var applied: UInt64
    /// The encoded state; empty if it is sent in parts.
    package var state: [UInt8]
    /// The size of the state in bytes, if it is sent in parts.
    package var length: UInt64?

    package init(revision: UInt64, applied: UInt64, state: [UInt8], length: UInt64? = nil) {
        self.revision = revision
        self.applied = applied
        self.state = state
        self.length = length
    }

    package init() {
        self.init(revision: 0, applied: 0, state: [])
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.state(&revision, &applied, &state, .payload, &length)
    }

    /// The message without a copy of its state.
    package struct Borrowed: FieldedBody {
        package static let name = StateMessage.name

        package private(set) var revision: UInt64 = 0
        package private(set) var applied: UInt64 = 0
        /// The encoded state. It is part of the decoded bytes, and valid as long as these.
        package private(set) var state = UnsafeRawBufferPointer(start: nil, count: 0)
        private var length: UInt64?

        package init() {}

        package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
            if let plain = Borrowed(plain: bytes) {
                self = plain
            } else {
                try self.init(anyForm: bytes)
            }
        }

        @inline(__always)
        private init?(plain bytes: UnsafeRawBufferPointer) {
            guard var fields = PlainFields(bytes, count: 3),
                let revision = fields.growing(1),
                let applied = fields.growing(2),
                let state = fields.byteString(3),
                fields.isAtEnd
            else { return nil }
            self.revision = revision
            self.applied = applied
            self.state = state
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            try coder.state(&revision, &applied, &state, .payload, &length)
        }
    }

    /// Appends a whole frame.
    ///
    /// - Parameters:
    ///   - bytes: The buffer to which the frame is appended.
    ///   - channel: The channel of the message.
    ///   - revision: The revision of the state.
    ///   - applied: The highest event of this channel that is in the state.
    ///   - state: The encoded state. It has to fit into one frame with 32 bytes to spare.
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

extension FieldCoder {
    fileprivate mutating func state<Payload>(
        _ revision: inout UInt64,
        _ applied: inout UInt64,
        _ state: inout Payload,
        _ type: FieldType<Payload>,
        _ length: inout UInt64?
    ) throws(Failure) {
        try field(1, "revision", &revision, .growing)
        try field(2, "applied", &applied, .growing)
        if try !self.length(3, "state", &length) { try field(3, "state", &state, type) }
    }
}
