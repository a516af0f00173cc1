// The messages that begin and end a channel.

/// Opens a channel to one feature of the other side. The channel's number is in the frame's header.
package struct Open: WireMessageBody {
    package static let kind = MessageKind.open

    /// The identifier of the feature, as the server advertised it.
    package var feature: String = ""
    /// The opener's schema of the feature.
    package var schema: UInt32 = 0
    /// The instance key, at most 255 bytes. Empty for the only instance.
    package var instance: String = ""
    /// The encoded state to begin with. It is nil for the feature's initial state, at view level, and if the state is
    /// sent in parts.
    package var state: [UInt8]?
    /// The size of the state in bytes, if it is sent in parts.
    package var length: UInt64?
    /// The revision of that state, or 0 without one. Revisions of the new channel are above it. At view level, together
    /// with a record and for an opener that accepts patches, it is the revision of the newest state that the opener has
    /// of this channel.
    package var revision: UInt64 = 0
    /// The event up to which the opener knows all events to be acknowledged. The server takes them as applied.
    package var resumeAfter: UInt64 = 0
    /// At view level, the record of this channel that the server sent last, if the server still has the same store ID.
    package var record: UInt64?
    /// The size of the largest state that the opener accepts, in bytes; nil for ``FrameLimits/maximumState``.
    package var maximumState: UInt32?
    /// 1 if the opener accepts patches. With nil, or a number of a later version, it does not.
    package var patches: UInt8?
    /// At domain level, the feature's encoded configuration; nil for its default configuration.
    package var configuration: [UInt8]?
    /// At view level, 1 if the opener wants to know the events that each state contains. Otherwise it is nil or a
    /// number of a later version.
    package var causes: UInt8?

    /// A Boolean value that indicates whether the opener accepts patches.
    package var takesPatches: Bool { patches == 1 }
    /// A Boolean value that indicates whether the opener wants to know the events that each state contains.
    package var wantsCauses: Bool { causes == 1 }

    package init(
        feature: String,
        schema: UInt32,
        instance: String = "",
        state: [UInt8]? = nil,
        revision: UInt64 = 0,
        resumeAfter: UInt64 = 0,
        record: UInt64? = nil,
        maximumState: UInt32? = nil,
        takesPatches: Bool = false,
        configuration: [UInt8]? = nil,
        wantsCauses: Bool = false
    ) {
        self.feature = feature
        self.schema = schema
        self.instance = instance
        self.state = state
        self.revision = revision
        self.resumeAfter = resumeAfter
        self.record = record
        self.maximumState = maximumState
        self.patches = takesPatches ? 1 : nil
        self.configuration = configuration
        causes = wantsCauses ? 1 : nil
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "feature", &feature, .identifier)
        try coder.field(2, "schema", &schema, .unsigned)
        try coder.field(3, "instance", &instance, .text(0...MessageLimits.maximumInstance))
        if try !coder.length(4, "state", &length) { try coder.optional(4, "state", &state, .payload) }
        try coder.field(5, "revision", &revision, .growing)
        try coder.field(6, "resumeAfter", &resumeAfter, .growing)
        try coder.optional(7, "record", &record, .unsigned)
        try coder.optional(8, "maximumState", &maximumState, .unsigned)
        try coder.optional(9, "patches", &patches, .unsigned)
        try coder.optional(10, "configuration", &configuration, .bytes(0...MessageLimits.maximumConfiguration))
        try coder.optional(11, "causes", &causes, .unsigned)
    }

    /// The body, split around its state; nil without a state.
    package var split: SplitBody? { state.map { SplitBody(of: self, around: $0) } }

    /// The same message without its state, which is sent in parts.
    package var inParts: Open {
        var open = self
        open.length = state.map { UInt64($0.count) }
        open.state = nil
        return open
    }
}

/// The answer to an open: the channel exists, and this is its state.
package struct Opened: WireMessageBody {
    package static let kind = MessageKind.opened

    /// The revision of the state.
    package var revision: UInt64 = 0
    /// The highest event of this channel that is in the state.
    package var applied: UInt64 = 0
    /// The encoded state; empty if the opener has it already, and if it is sent in parts.
    package var state: [UInt8] = []
    /// The size of the state in bytes, if it is sent in parts.
    package var length: UInt64?
    /// The number of the record that the server keeps about this channel. The opener can come back to the channel with
    /// it. The number is nil if the server keeps no record.
    package var record: UInt64?

    package init(revision: UInt64, applied: UInt64, state: [UInt8], record: UInt64? = nil) {
        self.revision = revision
        self.applied = applied
        self.state = state
        self.record = record
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "revision", &revision, .growing)
        try coder.field(2, "applied", &applied, .growing)
        if try !coder.length(3, "state", &length) { try coder.field(3, "state", &state, .payload) }
        try coder.optional(4, "record", &record, .unsigned)
    }
}

extension Opened {
    /// The same message without its state, which is sent in parts.
    package var inParts: Opened {
        var opened = self
        opened.length = UInt64(state.count)
        opened.state = []
        return opened
    }
}

/// The answer to an open that is refused.
package struct OpenRefused: WireMessageBody {
    package static let kind = MessageKind.openRefused

    /// The reason as a code.
    package var code: OpenRefusalCode = OpenRefusalCode(rawValue: 0)
    /// The reason and what to do about it, in one sentence.
    package var reason: String = ""

    package init(code: OpenRefusalCode, reason: String) {
        self.code = code
        self.reason = reason
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "code", &code, .code)
        try coder.field(2, "reason", &reason, .sentence)
    }
}

/// Asks the server to end a channel.
package struct Close: WireMessageBody {
    package static let kind = MessageKind.close

    package init() {}

    package func fields<Coder: FieldCoder>(_ coder: inout Coder) {}
}

/// The last message of a channel, from its server.
package struct Closed: WireMessageBody {
    package static let kind = MessageKind.closed

    /// The reason as a code.
    package var code: CloseCode = CloseCode.requested
    /// The reason in one sentence.
    package var reason: String = ""

    package init(code: CloseCode, reason: String) {
        self.code = code
        self.reason = reason
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "code", &code, .code)
        try coder.field(2, "reason", &reason, .sentence)
    }
}
