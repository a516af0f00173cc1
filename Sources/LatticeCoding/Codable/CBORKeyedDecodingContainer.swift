/// A map from which a value takes its entries.
///
/// It contains only one reference, because `KeyedDecodingContainer` copies it for each requested key.
struct CBORKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let map: DecodedMap

    init(core: DecoderCore, offset: Int) throws {
        map = DecodedMap(core: core, entries: try core.entries(at: offset))
    }

    var codingPath: [any CodingKey] { map.codingPath }

    var allKeys: [Key] {
        // A plain loop, because `compactMap` looks up metadata at run time, which costs more than everything else here.
        var keys: [Key] = []
        for index in 0..<map.count {
            if let key = Key(stringValue: map.name(of: index)) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool {
        map.offset(of: key.stringValue) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        map.core.isNull(at: try offset(of: key))
    }

    @inline(__always)
    func decode<Value: CodablePrimitive>(_ type: Value.Type, forKey key: Key) throws -> Value { try read(key) }
    // `Codable` has implementations for these two types, which take precedence over generic ones.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(key) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(key) }

    @inline(__always)
    private func read<Value: CodablePrimitive>(_ key: Key) throws -> Value {
        let start = try offset(of: key)
        var offset = start
        do {
            return try Value.read(from: map.core, at: &offset)
        } catch {
            return try map.core.readAgain(at: start, under: key)
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try map.core.decode(type, at: try offset(of: key), key: key)
    }

    // `Codable` has implementations for these types, which take precedence over generic ones. They search for a key
    // three times.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try readIfPresent(key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try readIfPresent(key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try readIfPresent(key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try readIfPresent(key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try readIfPresent(key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try readIfPresent(key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try readIfPresent(key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try readIfPresent(key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try readIfPresent(key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try readIfPresent(key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try readIfPresent(key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try readIfPresent(key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try readIfPresent(key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try readIfPresent(key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try readIfPresent(key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try readIfPresent(key) }

    @inline(__always)
    private func readIfPresent<Value: CodablePrimitive>(_ key: Key) throws -> Value? {
        guard let start = map.offset(of: key.stringValue), !map.core.isNull(at: start) else { return nil }
        var offset = start
        do {
            return try Value.read(from: map.core, at: &offset)
        } catch {
            return try map.core.readAgain(at: start, under: key)
        }
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let offset = map.offset(of: key.stringValue), !map.core.isNull(at: offset) else { return nil }
        return try map.core.decode(type, at: offset, key: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let offset = try offset(of: key)
        return try map.core.under(key) {
            KeyedDecodingContainer(try CBORKeyedDecodingContainer<NestedKey>(core: map.core, offset: offset))
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let offset = try offset(of: key)
        return try map.core.under(key) { try CBORUnkeyedDecodingContainer(core: map.core, offset: offset) }
    }

    func superDecoder() throws -> any Decoder {
        let key = CBORCodingKey.superKey
        guard let offset = map.offset(of: key.stringValue) else { throw missing(key) }
        return ScopedDecoder(core: map.core, offset: offset, pathCount: map.pathCount)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ScopedDecoder(core: map.core, offset: try offset(of: key), pathCount: map.pathCount)
    }

    @inline(__always)
    private func offset(of key: Key) throws -> Int {
        guard let offset = map.offset(of: key.stringValue) else { throw missing(key) }
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

/// The state that the copies of a container share.
private final class DecodedMap {
    let core: DecoderCore
    let pathCount: Int
    private let entries: KeyedEntries
    /// The expected index of the next entry. See ``KeyedEntries/value(of:_:_:)``. Unchecked: searching for a key never
    /// calls the value's code. The checks took 5 % of the time for decoding a small value.
    @exclusivity(unchecked) private var next = 0

    init(core: DecoderCore, entries: KeyedEntries) {
        self.core = core
        self.entries = entries
        pathCount = core.path.count
    }

    var count: Int { entries.entries.count }

    func name(of index: Int) -> String { entries.name(of: index, core.bytes) }

    /// Returns the position of the value of a key.
    @inline(__always)
    func offset(of key: String) -> Int? { entries.value(of: key, core.bytes, &next) }

    var codingPath: [any CodingKey] { Array(core.path.prefix(pathCount)) }
}
