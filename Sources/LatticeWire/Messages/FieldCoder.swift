package import LatticeCoding

/// Writes or reads the fields of a message in the order of their keys. A message therefore declares its fields once for
/// both directions, as the protocol's text does.
package protocol FieldCoder {
    associatedtype Failure: Error

    /// Codes a field that must be present.
    mutating func field<Value>(
        _ key: UInt64,
        _ name: String,
        _ value: inout Value,
        _ type: FieldType<Value>
    ) throws(Failure)

    /// Codes a field that is left out if it is nil.
    mutating func optional<Value>(
        _ key: UInt64,
        _ name: String,
        _ value: inout Value?,
        _ type: FieldType<Value>
    ) throws(Failure)

    /// Codes the length of a payload that is sent in parts, in the place of the payload. The length is nil if the
    /// message contains the payload itself.
    ///
    /// - Returns: Whether the message contains the length.
    mutating func length(_ key: UInt64, _ name: String, _ length: inout UInt64?) throws(Failure) -> Bool

    /// Refuses fields that contradict each other, if they were read.
    mutating func refuse(if isWrong: Bool, _ error: @autoclosure () -> CBORError) throws(Failure)
}

/// A type whose values a field can hold as a whole.
package protocol FieldValue {
    /// Appends the value.
    func encode(into writer: inout CBORWriter)

    /// Reads one value and moves the reader after it.
    init(reading reader: inout CBORReader) throws(CBORError)
}

/// A map with small unsigned keys in ascending order: a message, or a part of one.
package protocol FieldedBody: FieldValue {
    /// The name of the type in errors.
    static var name: String { get }

    /// Creates an empty value into which the fields are read.
    init()

    /// Passes all fields to the coder, by ascending keys. Writing the fields does not change them.
    mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure)
}

extension FieldedBody {
    /// Appends the map.
    package func encode(into writer: inout CBORWriter) {
        var fields = FieldWriter(takingOver: &writer)
        fields.write(self)
        fields.giveBack(&writer)
    }

    /// Reads a map that fills the bytes.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        try self.init(anyForm: bytes)
    }

    /// Reads a map that fills the bytes, for messages that read their most frequent form themselves.
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

/// Writes fields after the bytes that were written before.
struct FieldWriter: FieldCoder {
    var writer = CBORWriter()
    /// A Boolean value that indicates whether payloads are left out. The writer then remembers their position.
    private var leavesOutPayload = false
    private(set) var payloadStart: Int?
    private let start: Int
    private var count: UInt8 = 0

    /// Takes the bytes of another writer until they are given back.
    init(takingOver writer: inout CBORWriter) {
        start = writer.bytes.count
        swap(&self.writer, &writer)
    }

    init(leavingOutPayload: Bool) {
        start = 0
        leavesOutPayload = leavingOutPayload
    }

    /// Gives the bytes back to the other writer.
    mutating func giveBack(_ writer: inout CBORWriter) {
        swap(&self.writer, &writer)
    }

    mutating func write<Body: FieldedBody>(_ body: Body) {
        // The head of the map is completed at the end, when the count is known. No message has more than 23 fields.
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

    /// Appends a payload, or only its head if payloads are left out.
    mutating func append(payload: UnsafeRawBufferPointer) {
        guard leavesOutPayload else { return writer.append(bytes: payload) }
        writer.head(0x40, UInt64(payload.count))
        payloadStart = writer.bytes.count
    }
}

/// Reads fields and enforces the rules of all messages: keys ascend, and unknown keys are skipped.
struct FieldReader<Body: FieldedBody>: FieldCoder {
    private(set) var reader: CBORReader
    private var remaining: Int
    private var last: UInt64?
    /// The key of a field that has been read but not requested yet.
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
        let isPresent = try find(key)
        try refuse(if: !isPresent, .missing(name, in: Body.name))
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
            // The field is the payload itself, which is requested next.
            next = key
            return false
        }
        length = try FieldType<UInt64>.number(in: 1...MessageLimits.maximumGrowing).read(&reader, name)
        return true
    }

    mutating func refuse(if isWrong: Bool, _ error: @autoclosure () -> CBORError) throws(CBORError) {
        guard isWrong else { return }
        // Keys that do not ascend make fields look missing. The order of the keys is then the fault to report.
        try finish()
        throw error()
    }

    /// Skips the fields that were not requested.
    mutating func finish() throws(CBORError) {
        while try nextKey() != nil { try skip() }
        reader.level -= 1
    }

    /// Returns whether there is a field with this key. If there is, its value comes next.
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
