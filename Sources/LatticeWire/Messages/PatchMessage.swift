// What goes instead of a whole state: what has changed in it, and the request for the whole.

/// What has changed in a feature's state since ``base``, and with it the acknowledgement of every event up to
/// ``applied``.
package struct PatchMessage: WireMessageBody {
    package static let kind = MessageKind.patch

    /// The revision of the state that the changes are made to. Who has another one drops the message.
    package var base: UInt64
    /// The revision of the state that they lead to, above ``base``.
    package var revision: UInt64
    /// The highest event of this channel that is in that state.
    package var applied: UInt64
    /// An encoded change; empty where it comes in parts.
    package var changes: [UInt8]
    /// Bytes of the change, where it comes in parts.
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
        /// Part of the bytes that were decoded, and valid as long as they are.
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
    /// - Parameter changes: the encoded change; it has to fit into one frame with 48 bytes to spare.
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

/// Asks for the state as a whole: the sender cannot use the patches that it gets.
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
