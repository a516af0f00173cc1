/// Walks over the fields of one map and keeps the rules that all messages share.
struct MessageFields {
    var reader: CBORReader
    private let name: String
    private var remaining: Int
    private var last: UInt64?

    /// Begins with a message, which must fill the bytes.
    init(_ bytes: UnsafeRawBufferPointer, of name: String) throws(WireError) {
        try self.init(CBORReader(bytes), of: name)
    }

    /// Begins with a map inside a message. Who goes on behind it takes its reader back, one level up.
    init(_ reader: CBORReader, of name: String) throws(WireError) {
        self.reader = reader
        self.name = name
        remaining = try self.reader.mapHeader()
        self.reader.level += 1
    }

    /// The key of the next field, or nil after the last one.
    mutating func next() throws(WireError) -> UInt64? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        let key = try reader.unsigned()
        if let last, key <= last {
            throw key == last ? .duplicate(key: key, in: name) : .unsortedKey(key, after: last, in: name)
        }
        last = key
        return key
    }

    func require<Value>(_ value: Value?, _ field: String) throws(WireError) -> Value {
        guard let value else { throw .missing(field, in: name) }
        return value
    }

    // MARK: Fields with bounds

    /// A number that grows with each event or state.
    mutating func growing() throws(WireError) -> UInt64 {
        let offset = reader.offset
        let number = try reader.unsigned()
        guard number <= MessageLimits.maximumGrowing else {
            throw .outOfRange("\(number)", maximum: "\(MessageLimits.maximumGrowing)", at: offset)
        }
        return number
    }

    mutating func bytes(maximum: Int, _ field: String) throws(WireError) -> [UInt8] {
        let bytes = try reader.byteString()
        guard bytes.count <= maximum else { throw .fieldTooLarge(field, actual: bytes.count, maximum: maximum) }
        return [UInt8](bytes)
    }

    mutating func text(maximum: Int, _ field: String) throws(WireError) -> String {
        let text = try reader.text()
        guard text.utf8.count <= maximum else {
            throw .fieldTooLarge(field, actual: text.utf8.count, maximum: maximum)
        }
        return text
    }

    mutating func identifier(_ field: String) throws(WireError) -> String {
        let text = try text(maximum: MessageLimits.maximumIdentifier, field)
        guard !text.isEmpty else { throw .emptyField(field) }
        return text
    }

    mutating func sentence(_ field: String) throws(WireError) -> String {
        try text(maximum: MessageLimits.maximumSentence, field)
    }

    /// A number with a lowest and a highest value.
    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        in range: ClosedRange<Number>,
        _ field: String
    ) throws(WireError) -> Number {
        let raw = try reader.unsigned()
        guard let number = Number(exactly: raw), range.contains(number) else { throw .badValue(raw, field: field) }
        return number
    }

    /// A number out of a closed table.
    mutating func number<Value: RawRepresentable>(
        _ type: Value.Type,
        _ field: String
    ) throws(WireError) -> Value where Value.RawValue == UInt8 {
        let raw = try reader.unsigned()
        guard let narrow = UInt8(exactly: raw), let value = Value(rawValue: narrow) else {
            throw .badValue(raw, field: field)
        }
        return value
    }

    /// The count of a list with a bound.
    mutating func list(maximum: Int, _ field: String) throws(WireError) -> Int {
        let count = try reader.arrayHeader()
        guard count <= maximum else { throw .fieldTooLarge(field, actual: count, maximum: maximum) }
        return count
    }
}
