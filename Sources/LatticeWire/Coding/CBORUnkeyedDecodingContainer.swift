/// An array that a value takes its elements from, one after the other.
struct CBORUnkeyedDecodingContainer: UnkeyedDecodingContainer {
    let core: DecoderCore
    let codingPathCount: Int
    private let total: Int
    private var offset: Int
    private(set) var currentIndex = 0

    init(core: DecoderCore, offset: Int) throws {
        self.core = core
        codingPathCount = core.path.count
        self.offset = offset
        total = try core.arrayHeader([Any].self, &self.offset)
    }

    var codingPath: [any CodingKey] { Array(core.path.prefix(codingPathCount)) }
    /// Never more than the bytes of the array hold.
    var count: Int? { total }
    var isAtEnd: Bool { currentIndex >= total }

    mutating func decodeNil() throws -> Bool {
        try checkEnd(Any?.self)
        guard core.isNull(at: offset) else { return false }
        try advance()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try checkEnd(type)
        let value = try core.decode(type, at: offset, key: CBORCodingKey(index: currentIndex))
        try advance()
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try checkEnd(KeyedDecodingContainer<NestedKey>.self)
        let container = try under { try CBORKeyedDecodingContainer<NestedKey>(core: core, offset: offset) }
        try advance()
        return KeyedDecodingContainer(container)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try checkEnd((any UnkeyedDecodingContainer).self)
        let container = try under { try CBORUnkeyedDecodingContainer(core: core, offset: offset) }
        try advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        try checkEnd((any Decoder).self)
        let decoder = ScopedDecoder(core: core, offset: offset, pathCount: codingPathCount)
        try advance()
        return decoder
    }

    @inline(__always)
    private func checkEnd(_ type: Any.Type) throws {
        guard currentIndex < total else { throw atEnd(type) }
    }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath + [CBORCodingKey(index: currentIndex)],
                debugDescription: "The array has \(total) elements and no more."
            )
        )
    }

    private mutating func advance() throws {
        var reader = CBORReader(core.bytes, offset: offset)
        do throws(WireError) {
            try reader.skip(counting: core.steps)
        } catch {
            throw DecodingError.corrupted(error, path: codingPath)
        }
        offset = reader.offset
        currentIndex += 1
    }

    private func under<Result>(_ body: () throws -> Result) rethrows -> Result {
        core.path.append(CBORCodingKey(index: currentIndex))
        defer { core.path.removeLast() }
        return try body()
    }

    /// Reads a value of a type that has no keys inside; only an error needs the path.
    @inline(__always)
    private mutating func read<Value>(_ type: Value.Type, _ body: (inout Int) throws -> Value) throws -> Value {
        try checkEnd(type)
        core.steps.step()
        var next = offset
        let value: Value
        do {
            value = try body(&next)
        } catch let error as DecodingError {
            throw error.under(CBORCodingKey(index: currentIndex))
        }
        offset = next
        currentIndex += 1
        return value
    }
}

// One line for each type that `Codable` knows.
extension CBORUnkeyedDecodingContainer {
    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let core = core
        return try read(type) { try core.bool(&$0) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let core = core
        return try read(type) { try core.text(&$0) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let core = core
        return try read(type) { try core.double(&$0) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let core = core
        return try read(type) { try core.float(&$0) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int {
        let core = core
        return try read(type) { try core.integer(Int.self, &$0) }
    }

    mutating func decode(_ type: Int8.Type) throws -> Int8 {
        let core = core
        return try read(type) { try core.integer(Int8.self, &$0) }
    }

    mutating func decode(_ type: Int16.Type) throws -> Int16 {
        let core = core
        return try read(type) { try core.integer(Int16.self, &$0) }
    }

    mutating func decode(_ type: Int32.Type) throws -> Int32 {
        let core = core
        return try read(type) { try core.integer(Int32.self, &$0) }
    }

    mutating func decode(_ type: Int64.Type) throws -> Int64 {
        let core = core
        return try read(type) { try core.integer(Int64.self, &$0) }
    }

    mutating func decode(_ type: UInt.Type) throws -> UInt {
        let core = core
        return try read(type) { try core.integer(UInt.self, &$0) }
    }

    mutating func decode(_ type: UInt8.Type) throws -> UInt8 {
        let core = core
        return try read(type) { try core.integer(UInt8.self, &$0) }
    }

    mutating func decode(_ type: UInt16.Type) throws -> UInt16 {
        let core = core
        return try read(type) { try core.integer(UInt16.self, &$0) }
    }

    mutating func decode(_ type: UInt32.Type) throws -> UInt32 {
        let core = core
        return try read(type) { try core.integer(UInt32.self, &$0) }
    }

    mutating func decode(_ type: UInt64.Type) throws -> UInt64 {
        let core = core
        return try read(type) { try core.integer(UInt64.self, &$0) }
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let core = core
        return try read(type) { try core.wide(Int128.self, &$0) }
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let core = core
        return try read(type) { try core.wide(UInt128.self, &$0) }
    }
}
