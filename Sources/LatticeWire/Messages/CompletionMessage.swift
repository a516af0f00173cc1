/// The end of one event: exactly one of these answers each event.
package struct CompletionMessage: WireMessageBody {
    package static let kind = MessageKind.completion

    package var event: UInt64
    /// The revision that must have arrived before this takes effect: it may overtake a large state.
    package var revision: UInt64
    package var outcome: WireOutcome

    package init(event: UInt64, revision: UInt64, outcome: WireOutcome) {
        self.event = event
        self.revision = revision
        self.outcome = outcome
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 3)
        writer.append(unsigned: 1)
        writer.append(unsigned: event)
        writer.append(unsigned: 2)
        writer.append(unsigned: revision)
        writer.append(unsigned: 3)
        outcome.encode(into: &writer)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "completion")
        var event, revision: UInt64?
        var outcome: WireOutcome?
        while let key = try fields.next() {
            switch key {
            case 1: event = try fields.reader.unsigned()
            case 2: revision = try fields.reader.unsigned()
            case 3: outcome = try WireOutcome(reading: &fields.reader)
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.event = try fields.require(event, "event")
        self.revision = try fields.require(revision, "revision")
        self.outcome = try fields.require(outcome, "outcome")
    }
}
