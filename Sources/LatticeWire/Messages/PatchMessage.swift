// A change of a state in place of the whole state, and the request for the whole state.

/// The change of a feature's state since ``base``, and with it the acknowledgement of all events up to ``applied``.
package struct PatchMessage: WireMessageBody {
    package static let kind = MessageKind.patch

    /// The revision of the state to which the changes apply. An opener with another revision drops the message.
    package var base: UInt64
    /// The revision of the resulting state, above ``base``.
    package var revision: UInt64
    /// The highest event of this channel that is in the resulting state.
    package var applied: UInt64
    /// The encoded change; empty if it is sent in parts.
    package var changes: [UInt8]
    /// The size of the change in bytes, if it is sent in parts.
    package var length: UInt64?

    package init(base: UInt64, revision: UInt64, applied: UInt64, changes: [UInt8], length: UInt64? = nil) {
        self.length = length
        self.base = base
        self.revision = revision
        self.applied = applied
        self.changes = changes
    }

    package init() {
        self.init(base: 0, revision: 0, applied: 0, changes: [])
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.patch(&base, &revision, &applied, &changes, .payload, &length)
    }

    /// The message without a copy of its changes.
    package struct Borrowed: FieldedBody {
        package static let name = PatchMessage.name

        package private(set) var base: UInt64 = 0
        package private(set) var revision: UInt64 = 0
        package private(set) var applied: UInt64 = 0
        /// The encoded change. It is part of the decoded bytes, and valid as long as these.
        package private(set) var changes = UnsafeRawBufferPointer(start: nil, count: 0)
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
            guard var fields = PlainFields(bytes, count: 4),
                let base = fields.growing(1),
                let revision = fields.growing(2), revision > base,
                let applied = fields.growing(3),
                let changes = fields.byteString(4),
                fields.isAtEnd
            else { return nil }
            self.base = base
            self.revision = revision
            self.applied = applied
            self.changes = changes
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            try coder.patch(&base, &revision, &applied, &changes, .payload, &length)
        }
    }

    /// Appends a whole frame.
    ///
    /// - Parameters:
    ///   - bytes: The buffer to which the frame is appended.
    ///   - channel: The channel of the message.
    ///   - base: The revision of the state to which the changes apply.
    ///   - revision: The revision of the resulting state.
    ///   - applied: The highest event of this channel that is in the resulting state.
    ///   - changes: The encoded change. It has to fit into one frame with 48 bytes to spare.
    package static func appendFrame(
        to bytes: inout [UInt8],
        channel: UInt32,
        base: UInt64,
        revision: UInt64,
        applied: UInt64,
        changes: [UInt8]
    ) {
        FrameDraft.append(kind, channel: channel, payload: changes, to: &bytes) { draft in
            draft.map(4)
            draft.unsigned(1, base)
            draft.unsigned(2, revision)
            draft.unsigned(3, applied)
            draft.byteString(4, length: changes.count)
        }
    }
}

extension FieldCoder {
    fileprivate mutating func patch<Payload>(
        _ base: inout UInt64,
        _ revision: inout UInt64,
        _ applied: inout UInt64,
        _ changes: inout Payload,
        _ type: FieldType<Payload>,
        _ length: inout UInt64?
    ) throws(Failure) {
        try field(1, "base", &base, .growing)
        try field(2, "revision", &revision, .growing)
        try field(3, "applied", &applied, .growing)
        if try !self.length(4, "changes", &length) { try field(4, "changes", &changes, type) }
        try refuse(if: revision <= base, .badValue(revision, field: "revision"))
    }
}

/// Asks for the whole state, because the sender cannot use the patches that it receives.
package struct ResyncMessage: WireMessageBody {
    package static let kind = MessageKind.resync

    /// The revision of the newest state that the sender has.
    package var revision: UInt64 = 0

    package init(revision: UInt64) {
        self.revision = revision
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "revision", &revision, .growing)
    }
}
