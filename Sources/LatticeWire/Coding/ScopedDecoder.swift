/// The decoder that one value gets: the place where the value starts.
struct ScopedDecoder: Decoder {
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
        CBORSingleValueDecodingContainer(decoder: self)
    }
}
