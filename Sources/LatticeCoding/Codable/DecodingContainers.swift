/// The decoder that one value gets: the place where the value starts, also if it is neither an array nor a map of its
/// own.
struct ScopedDecoder: Decoder, SingleValueDecodingContainer {
    let core: DecoderCore
    let offset: Int
    let pathCount: Int

    var codingPath: [any CodingKey] { Array(core.path.prefix(pathCount)) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(try CBORKeyedDecodingContainer<Key>(core: core, offset: offset))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try CBORUnkeyedDecodingContainer(core: core, offset: offset)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        self
    }

    func decodeNil() -> Bool {
        core.isNull(at: offset)
    }

    @inline(__always)
    func decode<Value: CodablePrimitive>(_ type: Value.Type) throws -> Value { try read() }
    // Of these two `Codable` has implementations of its own, which go before generic ones.
    func decode(_ type: Int128.Type) throws -> Int128 { try read() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try read() }

    @inline(__always)
    private func read<Value: CodablePrimitive>() throws -> Value {
        var offset = offset
        return try Value.read(from: core, at: &offset)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try core.decode(type, at: offset)
    }
}

/// A map that a value takes its entries from.
struct CBORKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let core: DecoderCore
    let codingPathCount: Int
    private let entries: KeyedEntries

    init(core: DecoderCore, offset: Int) throws {
        var offset = offset
        self.core = core
        codingPathCount = core.path.count
        entries = try core.read([String: Any].self, &offset) { reader throws(CBORError) in
            try KeyedEntries(&reader, counting: core.steps)
        }
    }

    var codingPath: [any CodingKey] { Array(core.path.prefix(codingPathCount)) }

    var allKeys: [Key] {
        // A plain loop: `compactMap` looks up metadata at run time, which costs more than all the rest here.
        var keys: [Key] = []
        for index in 0..<entries.entries.count {
            if let key = Key(stringValue: entries.name(of: index, core.bytes)) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        entries.value(of: key.stringValue, core.bytes) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        core.isNull(at: try offset(of: key))
    }

    @inline(__always)
    func decode<Value: CodablePrimitive>(_ type: Value.Type, forKey key: Key) throws -> Value { try read(key) }
    // Of these two `Codable` has implementations of its own, which go before generic ones.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(key) }

    @inline(__always)
    private func read<Value: CodablePrimitive>(_ key: Key) throws -> Value {
        let start = try offset(of: key)
        var offset = start
        do {
            return try Value.read(from: core, at: &offset)
        } catch {
            return try core.readAgain(at: start, under: key)
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try core.decode(type, at: try offset(of: key), key: key)
    }

    @inline(__always)
    func decodeIfPresent<Value: CodablePrimitive>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try readIfPresent(key)
    }
    // Of these two `Codable` has implementations of its own, which go before generic ones.
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try readIfPresent(key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try readIfPresent(key) }

    @inline(__always)
    private func readIfPresent<Value: CodablePrimitive>(_ key: Key) throws -> Value? {
        guard let start = entries.value(of: key.stringValue, core.bytes), !core.isNull(at: start) else { return nil }
        var offset = start
        do {
            return try Value.read(from: core, at: &offset)
        } catch {
            return try core.readAgain(at: start, under: key)
        }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let offset = entries.value(of: key.stringValue, core.bytes), !core.isNull(at: offset) else { return nil }
        return try core.decode(type, at: offset, key: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let offset = try offset(of: key)
        return try core.under(key) {
            KeyedDecodingContainer(try CBORKeyedDecodingContainer<NestedKey>(core: core, offset: offset))
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let offset = try offset(of: key)
        return try core.under(key) { try CBORUnkeyedDecodingContainer(core: core, offset: offset) }
    }

    func superDecoder() throws -> any Decoder {
        let key = CBORCodingKey.superKey
        guard let offset = entries.value(of: key.stringValue, core.bytes) else { throw missing(key) }
        return ScopedDecoder(core: core, offset: offset, pathCount: codingPathCount)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ScopedDecoder(core: core, offset: try offset(of: key), pathCount: codingPathCount)
    }

    @inline(__always)
    private func offset(of key: Key) throws -> Int {
        guard let offset = entries.value(of: key.stringValue, core.bytes) else { throw missing(key) }
        return offset
    }

    @inline(never)
    private func missing(_ key: any CodingKey) -> DecodingError {
        .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription: "There is no value for the key '\(key.stringValue)'."
            )
        )
    }
}

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

    @inline(__always)
    mutating func decode<Value: CodablePrimitive>(_ type: Value.Type) throws -> Value { try read() }
    // Of these two `Codable` has implementations of its own, which go before generic ones.
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
