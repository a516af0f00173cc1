/// The end of an event, or of several in a row that ended alike: exactly one of these ends each event.
package struct CompletionMessage: WireMessageBody {
    package static let kind = MessageKind.completion

    /// The event that ended, or the first of those that did.
    package var event: UInt64
    /// The revision that must have arrived before this takes effect: it may overtake a large state.
    package var revision: UInt64
    package var outcome: WireOutcome
    /// The last of the events that ended, above `event`; nil for one alone.
    package var through: UInt64?

    package init(event: UInt64, through: UInt64? = nil, revision: UInt64, outcome: WireOutcome) {
        self.event = event
        self.through = through.flatMap { $0 > event ? $0 : nil }
        self.revision = revision
        self.outcome = outcome
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: through == nil ? 3 : 4)
        writer.append(unsigned: 1)
        writer.append(unsigned: event)
        writer.append(unsigned: 2)
        writer.append(unsigned: revision)
        writer.append(unsigned: 3)
        outcome.encode(into: &writer)
        guard let through else { return }
        writer.append(unsigned: 4)
        writer.append(unsigned: through)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        if let plain = CompletionMessage(plain: bytes) {
            self = plain
        } else {
            try self.init(anyForm: bytes)
        }
    }

    /// One event that ended `finished`: most of them do.
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

    private init(anyForm bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "completion")
        var event, revision, through: UInt64?
        var outcome: WireOutcome?
        while let key = try fields.next() {
            switch key {
            case 1: event = try fields.growing()
            case 2: revision = try fields.growing()
            case 3: outcome = try WireOutcome(reading: &fields.reader)
            case 4: through = try fields.growing()
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        let first = try fields.require(event, "event")
        // Left out where it says nothing new, so that equal messages are equal bytes.
        if let through, through <= first { throw .badValue(through, field: "through") }
        self.init(
            event: first,
            through: through,
            revision: try fields.require(revision, "revision"),
            outcome: try fields.require(outcome, "outcome")
        )
    }
}
