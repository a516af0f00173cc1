/// The decoder of one value: the position at which the value begins, even if the value is neither an array nor a map of
/// its own.
struct ScopedDecoder: Decoder, SingleValueDecodingContainer {
    let core: DecoderCore
    let offset: Int
    let pathCount: Int

    var codingPath: [any CodingKey] { Array(core.path.prefix(pathCount)) }
    var userInfo: [CodingUserInfoKey: Any] { CodingContext.userInfo }

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
    // `Codable` has implementations for these two types, which take precedence over generic ones.
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
