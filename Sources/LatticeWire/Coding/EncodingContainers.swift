/// A map that a value appends its entries to.
struct CBORKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let core: EncoderCore
    let handle: EncoderHandle

    var codingPath: [any CodingKey] { core.codingPath(of: handle) }

    mutating func encodeNil(forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.appendNull() }
    }

    @inline(__always)
    mutating func encode<Value: CodablePrimitive>(_ value: Value, forKey key: Key) throws { append(value, key) }
    // Of these two `Codable` has implementations of its own, which go before generic ones.
    mutating func encode(_ value: Int128, forKey key: Key) throws { append(value, key) }
    mutating func encode(_ value: UInt128, forKey key: Key) throws { append(value, key) }

    @inline(__always)
    private func append(_ value: some CodablePrimitive, _ key: Key) {
        if core.appendKey(key.stringValue, handle) { value.write(to: &core.writer) }
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        guard core.appendKey(key.stringValue, handle) else { return }
        try core.encode(value, under: key, in: handle, from: core.entries[core.entries.count - 1])
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let isOpen = core.appendKey(key.stringValue, handle)
        return core.nestedMap(NestedKey.self, under: key, in: handle, isOpen: isOpen)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let isOpen = core.appendKey(key.stringValue, handle)
        return core.nestedArray(under: key, in: handle, isOpen: isOpen)
    }

    mutating func superEncoder() -> any Encoder {
        superEncoder(CBORCodingKey.superKey)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        superEncoder(key)
    }

    private func superEncoder(_ key: any CodingKey) -> any Encoder {
        let isOpen = core.appendKey(key.stringValue, handle)
        return core.nestedEncoder(under: key, in: handle, isOpen: isOpen)
    }
}

/// An array that a value appends its elements to.
struct CBORUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    let core: EncoderCore
    let handle: EncoderHandle

    var codingPath: [any CodingKey] { core.codingPath(of: handle) }
    var count: Int { core.count(of: handle) }

    mutating func encodeNil() throws {
        if core.appendElement(handle) { core.writer.appendNull() }
    }

    @inline(__always)
    mutating func encode<Value: CodablePrimitive>(_ value: Value) throws { append(value) }
    // Of these two `Codable` has implementations of its own, which go before generic ones.
    mutating func encode(_ value: Int128) throws { append(value) }
    mutating func encode(_ value: UInt128) throws { append(value) }

    @inline(__always)
    private func append(_ value: some CodablePrimitive) {
        if core.appendElement(handle) { value.write(to: &core.writer) }
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        guard core.appendElement(handle) else { return }
        try core.encode(value, under: lastKey, in: handle, from: core.writer.bytes.count)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        let isOpen = core.appendElement(handle)
        return core.nestedMap(NestedKey.self, under: lastKey, in: handle, isOpen: isOpen)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let isOpen = core.appendElement(handle)
        return core.nestedArray(under: lastKey, in: handle, isOpen: isOpen)
    }

    mutating func superEncoder() -> any Encoder {
        let isOpen = core.appendElement(handle)
        return core.nestedEncoder(under: lastKey, in: handle, isOpen: isOpen)
    }

    private var lastKey: CBORCodingKey { CBORCodingKey(index: count - 1) }
}
