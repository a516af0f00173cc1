/// The fields of every message that carries a state; the state stays where it lies.
struct StateFields {
    var revision: UInt64
    var applied: UInt64
    var state: UnsafeRawBufferPointer
    /// What the server keeps of the channel; `opened` alone has it.
    var record: UInt64?

    init(decoding bytes: UnsafeRawBufferPointer, of name: String) throws(WireError) {
        if let plain = StateFields(plain: bytes) {
            self = plain
        } else {
            try self.init(anyForm: bytes, of: name)
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

    private init(anyForm bytes: UnsafeRawBufferPointer, of name: String) throws(WireError) {
        var fields = try MessageFields(bytes, of: name)
        var revision, applied, record: UInt64?
        var state: UnsafeRawBufferPointer?
        while let key = try fields.next() {
            switch key {
            case 1: revision = try fields.growing()
            case 2: applied = try fields.growing()
            case 3: state = try fields.reader.byteString()
            case 4 where name == "opened": record = try fields.reader.unsigned()
            default: try fields.reader.skip()
            }
        }
        try fields.reader.finish()
        self.revision = try fields.require(revision, "revision")
        self.applied = try fields.require(applied, "applied")
        self.state = try fields.require(state, "state")
        self.record = record
    }

    static func encode(
        revision: UInt64,
        applied: UInt64,
        count: Int = 3,
        into writer: inout CBORWriter
    ) {
        writer.append(mapHeader: count)
        writer.append(unsigned: 1)
        writer.append(unsigned: revision)
        writer.append(unsigned: 2)
        writer.append(unsigned: applied)
        writer.append(unsigned: 3)
    }
}
