/// Says that events were applied where no new state says it, because they left the state as it was.
package struct AcknowledgementMessage: WireMessageBody {
    package static let kind = MessageKind.acknowledgement

    /// The highest event of this channel that was applied.
    package var applied: UInt64
    /// The revision that must have arrived before this takes effect.
    package var revision: UInt64

    package init(applied: UInt64, revision: UInt64) {
        self.applied = applied
        self.revision = revision
    }

    package func encode(into writer: inout CBORWriter) {
        writer.append(mapHeader: 2)
        writer.append(unsigned: 1)
        writer.append(unsigned: applied)
        writer.append(unsigned: 2)
        writer.append(unsigned: revision)
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "acknowledgement")
        var applied, revision: UInt64?
        while let key = try fields.next() {
            switch key {
            case 1: applied = try fields.growing()
            case 2: revision = try fields.growing()
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.applied = try fields.require(applied, "applied")
        self.revision = try fields.require(revision, "revision")
    }
}
