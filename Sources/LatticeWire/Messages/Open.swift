/// Opens a channel to one feature of the other side. The channel's number is in the frame's header.
package struct Open: WireMessageBody {
    package static let kind = MessageKind.open

    /// The identifier that the server advertised.
    package var feature: String
    /// The opener's schema of the feature.
    package var schema: UInt32
    /// Which instance of the feature, at most 255 bytes. Empty for the only one.
    package var instance: String
    /// The encoded state to begin with; nil for the feature's initial state, and at view level.
    package var state: [UInt8]?
    /// The revision of that state; 0 without one. Revisions of the new channel are above it.
    package var revision: UInt64
    /// The highest event that the opener knows to be acknowledged; the server takes it as applied.
    package var resumeAfter: UInt64
    /// At view level: the record of this channel that the server told last, if it has the same memory still.
    package var record: UInt64?
    /// Bytes of the largest state that the opener takes; nil for the largest that fits into a message.
    package var maximumState: UInt32?

    package init(
        feature: String,
        schema: UInt32,
        instance: String = "",
        state: [UInt8]? = nil,
        revision: UInt64 = 0,
        resumeAfter: UInt64 = 0,
        record: UInt64? = nil,
        maximumState: UInt32? = nil
    ) {
        self.feature = feature
        self.schema = schema
        self.instance = instance
        self.state = state
        self.revision = revision
        self.resumeAfter = resumeAfter
        self.record = record
        self.maximumState = maximumState
    }

    package func encode(into writer: inout CBORWriter) {
        encodeHead(into: &writer)
        if let state {
            writer.append(unsigned: 4)
            writer.append(bytes: state)
        }
        encodeTail(into: &writer)
    }

    /// The same body around its state; nil without one.
    package var split: SplitBody? {
        guard let state else { return nil }
        var (head, tail) = (CBORWriter(), CBORWriter())
        encodeHead(into: &head)
        head.append(unsigned: 4)
        head.append(byteStringHeader: state.count)
        encodeTail(into: &tail)
        return SplitBody(head: head.bytes, payload: state, tail: tail.bytes)
    }

    private func encodeHead(into writer: inout CBORWriter) {
        writer.append(mapHeader: 5 + (state == nil ? 0 : 1) + (record == nil ? 0 : 1) + (maximumState == nil ? 0 : 1))
        writer.append(unsigned: 1)
        writer.append(text: feature)
        writer.append(unsigned: 2)
        writer.append(unsigned: UInt64(schema))
        writer.append(unsigned: 3)
        writer.append(text: instance)
    }

    private func encodeTail(into writer: inout CBORWriter) {
        writer.append(unsigned: 5)
        writer.append(unsigned: revision)
        writer.append(unsigned: 6)
        writer.append(unsigned: resumeAfter)
        if let record {
            writer.append(unsigned: 7)
            writer.append(unsigned: record)
        }
        guard let maximumState else { return }
        writer.append(unsigned: 8)
        writer.append(unsigned: UInt64(maximumState))
    }

    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = try MessageFields(bytes, of: "open")
        var feature, instance: String?
        var schema, maximumState: UInt32?
        var state: [UInt8]?
        var revision, resumeAfter, record: UInt64?
        while let key = try fields.next() {
            switch key {
            case 1: feature = try fields.identifier("feature")
            case 2: schema = try fields.reader.unsigned(UInt32.self)
            case 3: instance = try fields.text(maximum: MessageLimits.maximumInstance, "instance")
            case 4: state = [UInt8](try fields.reader.byteString())
            case 5: revision = try fields.growing()
            case 6: resumeAfter = try fields.growing()
            case 7: record = try fields.reader.unsigned()
            case 8: maximumState = try fields.reader.unsigned(UInt32.self)
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.feature = try fields.require(feature, "feature")
        self.schema = try fields.require(schema, "schema")
        self.instance = try fields.require(instance, "instance")
        self.state = state
        self.revision = try fields.require(revision, "revision")
        self.resumeAfter = try fields.require(resumeAfter, "resumeAfter")
        self.record = record
        self.maximumState = maximumState
    }
}
