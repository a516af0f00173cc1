/// A map that a value takes its entries from.
struct CBORKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let core: DecoderCore
    let codingPathCount: Int
    private let entries: KeyedEntries

    init(core: DecoderCore, offset: Int) throws {
        var offset = offset
        self.core = core
        codingPathCount = core.path.count
        entries = try core.read([String: Any].self, &offset) { reader throws(WireError) in
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

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try core.decode(type, at: try offset(of: key), key: key)
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
        return try under(key) {
            KeyedDecodingContainer(try CBORKeyedDecodingContainer<NestedKey>(core: core, offset: offset))
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let offset = try offset(of: key)
        return try under(key) { try CBORUnkeyedDecodingContainer(core: core, offset: offset) }
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

    private func under<Result>(_ key: Key, _ body: () throws -> Result) rethrows -> Result {
        core.path.append(key)
        defer { core.path.removeLast() }
        return try body()
    }

    /// Reads a value of a type that has no keys inside; only an error needs the path.
    @inline(__always)
    private func read<Value>(_ key: Key, _ body: (inout Int) throws -> Value) throws -> Value {
        var offset = try offset(of: key)
        do {
            return try body(&offset)
        } catch let error as DecodingError {
            throw error.under(key)
        }
    }
}

// One line for each type that `Codable` knows.
extension CBORKeyedDecodingContainer {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try read(key) { try core.bool(&$0) }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try read(key) { try core.text(&$0) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try read(key) { try core.double(&$0) }
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try read(key) { try core.float(&$0) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try read(key) { try core.integer(Int.self, &$0) }
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try read(key) { try core.integer(Int8.self, &$0) }
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try read(key) { try core.integer(Int16.self, &$0) }
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try read(key) { try core.integer(Int32.self, &$0) }
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try read(key) { try core.integer(Int64.self, &$0) }
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try read(key) { try core.integer(UInt.self, &$0) }
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try read(key) { try core.integer(UInt8.self, &$0) }
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try read(key) { try core.integer(UInt16.self, &$0) }
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try read(key) { try core.integer(UInt32.self, &$0) }
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try read(key) { try core.integer(UInt64.self, &$0) }
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try read(key) { try core.wide(Int128.self, &$0) }
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try read(key) { try core.wide(UInt128.self, &$0) }
    }
}
