package import LatticeCoding

/// Goes over the fields of a message in the order of their keys, to write or to read them: so a message says once what
/// its fields are, as the protocol's text does.
package protocol FieldCoder {
    associatedtype Failure: Error

    /// A field that must be there.
    mutating func field<Value>(
        _ key: UInt64,
        _ name: String,
        _ value: inout Value,
        _ type: FieldType<Value>
    ) throws(Failure)

    /// A field that is left out where there is nothing to say.
    mutating func optional<Value>(
        _ key: UInt64,
        _ name: String,
        _ value: inout Value?,
        _ type: FieldType<Value>
    ) throws(Failure)

    /// The length of a payload that comes in parts, in the place of the payload; nil if that is here.
    ///
    /// - Returns: Whether it is the length that is there.
    mutating func length(_ key: UInt64, _ name: String, _ length: inout UInt64?) throws(Failure) -> Bool

    /// Refuses fields that do not belong together, if they were read.
    mutating func refuse(if isWrong: Bool, _ error: @autoclosure () -> CBORError) throws(Failure)
}

/// What a field may hold as a whole.
package protocol FieldValue {
    func encode(into writer: inout CBORWriter)

    /// Reads one value and moves the reader behind it.
    init(reading reader: inout CBORReader) throws(CBORError)
}

/// A map with small unsigned keys in ascending order: a message, or a part of one.
package protocol FieldedBody: FieldValue {
    /// What errors call it.
    static var name: String { get }

    /// Without anything in it yet, to read the fields into.
    init()

    /// Hands all fields to the coder, by ascending keys. While they are written nothing changes.
    mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure)
}

extension FieldedBody {
    /// Appends the map.
    package func encode(into writer: inout CBORWriter) {
        var fields = FieldWriter(behind: &writer)
        fields.write(self)
        fields.giveBack(&writer)
    }

    /// Reads a map that fills the bytes.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        try self.init(anyForm: bytes)
    }

    /// The same, for messages that are read in their commonest form by themselves.
    init(anyForm bytes: UnsafeRawBufferPointer) throws(WireError) {
        do throws(CBORError) {
            var reader = CBORReader(bytes)
            self = try Self(reading: &reader)
            try reader.finish()
        } catch {
            throw WireError(error)
        }
    }

    package init(reading reader: inout CBORReader) throws(CBORError) {
        self.init()
        var fields = try FieldReader<Self>(reader)
        try self.fields(&fields)
        try fields.finish()
        reader = fields.reader
    }
}

/// Writes fields behind what was written before.
struct FieldWriter: FieldCoder {
    var writer = CBORWriter()
    /// Leaves payloads out, and remembers where they belong.
    private var leavesOutPayload = false
    private(set) var payloadStart: Int?
    private let start: Int
    private var count: UInt8 = 0

    /// Takes the bytes, until they are given back.
    init(behind writer: inout CBORWriter) {
        start = writer.bytes.count
        swap(&self.writer, &writer)
    }

    init(leavingOutPayload: Bool) {
        start = 0
        leavesOutPayload = leavingOutPayload
    }

    mutating func giveBack(_ writer: inout CBORWriter) {
        swap(&self.writer, &writer)
    }

    mutating func write<Body: FieldedBody>(_ body: Body) {
        // The head of the map, whose count is known afterwards. No message has more than 23 fields.
        writer.append(mapHeader: 0)
        var body = body
        body.fields(&self)
        writer.bytes[start] |= count
    }

    mutating func field<Value>(_ key: UInt64, _ name: String, _ value: inout Value, _ type: FieldType<Value>) {
        count += 1
        writer.head(0, key)
        type.write(value, &self)
    }

    mutating func optional<Value>(_ key: UInt64, _ name: String, _ value: inout Value?, _ type: FieldType<Value>) {
        guard var some = value else { return }
        field(key, name, &some, type)
    }

    mutating func length(_ key: UInt64, _ name: String, _ length: inout UInt64?) -> Bool {
        guard var known = length else { return false }
        field(key, name, &known, .unsigned)
        return true
    }

    func refuse(if isWrong: Bool, _ error: @autoclosure () -> CBORError) {}

    mutating func append(payload: UnsafeRawBufferPointer) {
        guard leavesOutPayload else { return writer.append(bytes: payload) }
        writer.head(0x40, UInt64(payload.count))
        payloadStart = writer.bytes.count
    }
}

/// Reads fields, and keeps the rules that all messages share: keys ascend, and those that are not known are skipped.
struct FieldReader<Body: FieldedBody>: FieldCoder {
    private(set) var reader: CBORReader
    private var remaining: Int
    private var last: UInt64?
    /// The key of a field that nobody has asked for yet.
    private var next: UInt64?

    init(_ reader: CBORReader) throws(CBORError) {
        self.reader = reader
        remaining = try self.reader.mapHeader()
        self.reader.level += 1
    }

    mutating func field<Value>(
        _ key: UInt64,
        _ name: String,
        _ value: inout Value,
        _ type: FieldType<Value>
    ) throws(CBORError) {
        let isThere = try find(key)
        try refuse(if: !isThere, .missing(name, in: Body.name))
        value = try type.read(&reader, name)
    }

    mutating func optional<Value>(
        _ key: UInt64,
        _ name: String,
        _ value: inout Value?,
        _ type: FieldType<Value>
    ) throws(CBORError) {
        if try find(key) { value = try type.read(&reader, name) }
    }

    mutating func length(_ key: UInt64, _ name: String, _ length: inout UInt64?) throws(CBORError) -> Bool {
        guard try find(key) else { return false }
        guard try reader.peek() == .unsigned else {
            // The payload itself, which is asked for next.
            next = key
            return false
        }
        length = try FieldType<UInt64>.number(in: 1...MessageLimits.maximumGrowing).read(&reader, name)
        return true
    }

    mutating func refuse(if isWrong: Bool, _ error: @autoclosure () -> CBORError) throws(CBORError) {
        guard isWrong else { return }
        // Keys that do not ascend look like fields that are missing, and are the fault to tell.
        try finish()
        throw error()
    }

    /// Reads over what nobody has asked for.
    mutating func finish() throws(CBORError) {
        while try nextKey() != nil { try skip() }
        reader.level -= 1
    }

    /// Whether there is a field with this key; then its value comes next.
    private mutating func find(_ key: UInt64) throws(CBORError) -> Bool {
        while let found = try nextKey(), found <= key {
            if found == key {
                next = nil
                return true
            }
            try skip()
        }
        return false
    }

    private mutating func nextKey() throws(CBORError) -> UInt64? {
        if let next { return next }
        guard remaining > 0 else { return nil }
        remaining -= 1
        let key = try reader.unsigned()
        if let last, key <= last {
            throw key == last ? .duplicate(key: key, in: Body.name) : .unsortedKey(key, after: last, in: Body.name)
        }
        last = key
        next = key
        return key
    }

    private mutating func skip() throws(CBORError) {
        next = nil
        try reader.skip()
    }
}
