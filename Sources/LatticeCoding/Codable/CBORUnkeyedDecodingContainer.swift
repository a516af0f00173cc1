/// An array from which a value takes its elements, one after the other.
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
    /// The number of elements, which is never more than the bytes of the array can hold.
    var count: Int? { total }
    var isAtEnd: Bool { currentIndex >= total }

    mutating func decodeNil() throws -> Bool {
        try checkEnd(Any?.self)
        guard core.isNull(at: offset) else { return false }
        try advance()
        return true
    }

    @inline(__always)
    mutating func decode<Value: CodablePrimitive>(_ type: Value.Type) throws -> Value { try read() }
    // `Codable` has implementations for these two types, which take precedence over generic ones.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try read() }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try read() }

    @inline(__always)
    private mutating func read<Value: CodablePrimitive>() throws -> Value {
        try checkEnd(Value.self)
        core.steps.step()
        var next = offset
        let value: Value
        do {
            value = try Value.read(from: core, at: &next)
        } catch {
            value = try core.readAgain(at: offset, under: currentKey)
        }
        offset = next
        currentIndex += 1
        return value
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try checkEnd(type)
        let value = try core.decode(type, at: offset, key: currentKey)
        try advance()
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try checkEnd(KeyedDecodingContainer<NestedKey>.self)
        let container = try core.under(currentKey) {
            try CBORKeyedDecodingContainer<NestedKey>(core: core, offset: offset)
        }
        try advance()
        return KeyedDecodingContainer(container)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try checkEnd((any UnkeyedDecodingContainer).self)
        let container = try core.under(currentKey) { try CBORUnkeyedDecodingContainer(core: core, offset: offset) }
        try advance()
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        try checkEnd((any Decoder).self)
        let decoder = ScopedDecoder(core: core, offset: offset, pathCount: codingPathCount)
        try advance()
        return decoder
    }

    private var currentKey: CBORCodingKey { CBORCodingKey(index: currentIndex) }

    @inline(__always)
    private func checkEnd(_ type: Any.Type) throws {
        guard currentIndex < total else { throw atEnd(type) }
    }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        .valueNotFound(
            type,
            DecodingError.Context(
                codingPath: codingPath + [currentKey],
                debugDescription: "The array has \(total) elements and no more."
            )
        )
    }

    private mutating func advance() throws {
        var reader = CBORReader(core.bytes, offset: offset)
        do throws(CBORError) {
            try reader.skip(counting: core.steps)
        } catch {
            throw DecodingError.corrupted(error, path: codingPath)
        }
        offset = reader.offset
        currentIndex += 1
    }
}
