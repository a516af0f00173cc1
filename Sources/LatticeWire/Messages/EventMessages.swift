import LatticeCoding

// The messages with which an opener sends and cancels events, and with which the server acknowledges them.

/// An action sent from outside, with its identity.
package struct EventMessage: WireMessageBody {
    package static let kind = MessageKind.event

    /// The sender of an event that is not the opener of the channel.
    package struct Origin: Equatable, Sendable {
        /// The index that an earlier ``OriginMessage`` introduced.
        package var index: UInt32
        /// The event's number on the channel of its sender, above 0.
        package var number: UInt64

        package init(index: UInt32, number: UInt64) {
            self.index = index
            self.number = number
        }
    }

    /// The number of the event. It grows with every event of the channel and begins above 0.
    package var event: UInt64
    /// The encoded action.
    package var action: [UInt8]
    /// The sender of the event; nil if that is the opener of the channel.
    package var origin: Origin?
    /// The deadline and the trace of the event; nil if it has neither.
    package var context: TravelContext?

    package init(event: UInt64, action: [UInt8], origin: Origin? = nil, context: TravelContext? = nil) {
        self.event = event
        self.action = action
        self.origin = origin
        self.context = context
    }

    package init() {
        self.init(event: 0, action: [])
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.event(&event, &action, .payload, &origin, &context)
    }

    /// The body, split around its action.
    package var split: SplitBody { SplitBody(of: self, around: action) }

    /// The message without a copy of its action.
    package struct Borrowed: FieldedBody {
        package static let name = EventMessage.name

        package private(set) var event: UInt64 = 0
        /// The encoded action. It is part of the decoded bytes, and valid as long as these.
        package private(set) var action = UnsafeRawBufferPointer(start: nil, count: 0)
        package private(set) var origin: Origin?
        package private(set) var context: TravelContext?

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
            guard let first = bytes.first, first == 0xa2 || first == 0xa4,
                var fields = PlainFields(bytes, count: first & 0x0f),
                let event = fields.growing(1),
                let action = fields.byteString(2)
            else { return nil }
            if first == 0xa4 {
                guard let index = fields.growing(3), index < MessageLimits.maximumOrigins,
                    let number = fields.growing(4), number > 0
                else { return nil }
                origin = Origin(index: UInt32(index), number: number)
            }
            guard fields.isAtEnd else { return nil }
            self.event = event
            self.action = action
        }

        package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
            try coder.event(&event, &action, .payload, &origin, &context)
        }
    }

    /// Appends a whole frame for an event that has no context.
    ///
    /// - Parameters:
    ///   - bytes: The buffer to which the frame is appended.
    ///   - channel: The channel of the message.
    ///   - event: The number of the event.
    ///   - action: The encoded action. It has to fit into one frame with 64 bytes to spare.
    ///   - origin: The sender of the event. Nil if that is the opener of the channel.
    package static func appendFrame(
        to bytes: inout [UInt8],
        channel: UInt32,
        event: UInt64,
        action: [UInt8],
        origin: Origin? = nil
    ) {
        FrameDraft.append(kind, channel: channel, payload: action, to: &bytes) { draft in
            draft.map(origin == nil ? 2 : 4)
            draft.unsigned(1, event)
            draft.byteString(2, length: action.count)
            guard let origin else { return }
            draft.unsigned(3, UInt64(origin.index))
            draft.unsigned(4, origin.number)
        }
    }
}

/// Introduces the sender of events on this channel. It holds for all events with this index, until the next such
/// message with the same index.
package struct OriginMessage: WireMessageBody {
    package static let kind = MessageKind.origin

    /// The index, below ``MessageLimits/maximumOrigins``.
    package var index: UInt32 = 0
    /// The sender's identity: 16 bytes.
    package var sender: [UInt8] = []
    /// The number of the sender's channel, above 0.
    package var channel: UInt32 = 0
    /// The process of the sender, as the coordinator determined it; nil if the system does not report it.
    package var processID: UInt32?
    /// The user of that process; nil if the system does not report it.
    package var userID: UInt32?
    /// The path of the program that the process ran when it connected; nil if it is unknown or too long.
    package var program: String?

    package init(
        index: UInt32,
        sender: [UInt8],
        channel: UInt32,
        processID: UInt32? = nil,
        userID: UInt32? = nil,
        program: String? = nil
    ) {
        self.index = index
        self.sender = sender
        self.channel = channel
        self.processID = processID
        self.userID = userID
        self.program = program
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "index", &index, .origin)
        try coder.field(2, "sender", &sender, .identity())
        try coder.field(3, "channel", &channel, .number(in: 1...UInt32.max))
        try coder.optional(4, "processID", &processID, .unsigned)
        try coder.optional(5, "userID", &userID, .unsigned)
        try coder.optional(6, "program", &program, .text(1...MessageLimits.maximumProgram))
    }
}

/// Asks the server to cancel an event and everything that it started.
package struct CancelMessage: WireMessageBody {
    package static let kind = MessageKind.cancel

    /// The number of the event on its channel.
    package var event: UInt64 = 0
    /// What cancels the event. A coordinator ignores what a client says, because a client cancels its own events only.
    package var canceller: WireCanceller?
    /// The reason in words.
    package var reason: String?

    /// - Parameters:
    ///   - event: The number of the event on its channel.
    ///   - cancellation: What cancels the event, and why. The stage is not sent.
    package init(event: UInt64, _ cancellation: WireCancellation = WireCancellation()) {
        self.event = event
        canceller = cancellation.canceller == .unknown ? nil : cancellation.canceller
        reason = cancellation.reason.isEmpty ? nil : cancellation.reason
    }

    package init() {}

    /// What cancels the event, and why.
    package var cancellation: WireCancellation {
        WireCancellation(by: canceller ?? .unknown, reason: reason ?? "")
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "event", &event, .growing)
        try coder.optional(2, "canceller", &canceller, .value)
        try coder.optional(3, "reason", &reason, .cancelReason)
    }
}

/// Acknowledges events that left the state unchanged, for which no new state is sent.
package struct AcknowledgementMessage: WireMessageBody {
    package static let kind = MessageKind.acknowledgement

    /// The event up to which all events of this channel were applied.
    package var applied: UInt64 = 0
    /// The revision that must have arrived before this message takes effect.
    package var revision: UInt64 = 0

    package init(applied: UInt64, revision: UInt64) {
        self.applied = applied
        self.revision = revision
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "applied", &applied, .growing)
        try coder.field(2, "revision", &revision, .growing)
    }
}

extension FieldCoder {
    fileprivate mutating func event<Payload>(
        _ event: inout UInt64,
        _ action: inout Payload,
        _ type: FieldType<Payload>,
        _ origin: inout EventMessage.Origin?,
        _ context: inout TravelContext?
    ) throws(Failure) {
        var (index, number) = (origin?.index, origin?.number)
        try field(1, "event", &event, .growing)
        try field(2, "action", &action, type)
        try optional(3, "origin", &index, .origin)
        try optional(4, "originNumber", &number, .number(in: 1...MessageLimits.maximumGrowing))
        // Each of the two fields requires the other.
        try refuse(
            if: (index == nil) != (number == nil),
            .missing(index == nil ? "origin" : "originNumber", in: EventMessage.name)
        )
        if let index, let number { origin = EventMessage.Origin(index: index, number: number) }
        try optional(5, "context", &context, .value)
    }
}

extension FieldType<String> {
    /// The reason of a cancel. Senders cut a reason that is too long.
    fileprivate static var cancelReason: FieldType {
        FieldType(
            write: { $1.writer.append(text: MessageLimits.trimmed($0, to: MessageLimits.maximumCancelReason)) },
            read: text(0...MessageLimits.maximumCancelReason).read
        )
    }
}

extension FieldType<UInt32> {
    /// The index of one of the origins that a channel knows.
    fileprivate static var origin: FieldType { number(in: 0...UInt32(MessageLimits.maximumOrigins - 1)) }
}
