/// The end of an event, or of several consecutive events that ended in the same way. Exactly one such message ends each
/// event.
package struct CompletionMessage: WireMessageBody {
    package static let kind = MessageKind.completion

    /// The event that ended, or the first of several.
    package var event: UInt64
    /// The revision that must have arrived before this message takes effect, because it can overtake a large state.
    package var revision: UInt64
    /// How the event ended.
    package var outcome: WireOutcome
    /// The last of the events that ended, above `event`; nil if only one event ended.
    package var through: UInt64?

    package init(event: UInt64, through: UInt64? = nil, revision: UInt64, outcome: WireOutcome) {
        self.event = event
        self.through = through.flatMap { $0 > event ? $0 : nil }
        self.revision = revision
        self.outcome = outcome
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        if let plain = CompletionMessage(plain: bytes) {
            self = plain
        } else {
            try self.init(anyForm: bytes)
        }
    }

    /// Reads the most frequent form: one event that ended `finished`.
    @inline(__always)
    private init?(plain bytes: UnsafeRawBufferPointer) {
        guard var fields = PlainFields(bytes, count: 3),
            let event = fields.growing(1),
            let revision = fields.growing(2),
            fields.take(3, 0x81, 0x00),
            fields.isAtEnd
        else { return nil }
        self.init(event: event, revision: revision, outcome: .finished)
    }

    package init() {
        self.init(event: 0, revision: 0, outcome: .finished)
    }

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "event", &event, .growing)
        try coder.field(2, "revision", &revision, .growing)
        try coder.field(3, "outcome", &outcome, .value)
        try coder.optional(4, "through", &through, .growing)
        // `through` is left out where it adds nothing, so that equal messages have equal bytes.
        if let through { try coder.refuse(if: through <= event, .badValue(through, field: "through")) }
    }
}
