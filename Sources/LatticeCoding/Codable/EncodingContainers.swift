/// The encoder of one value, which is also the container of a value that is neither an array nor a map of its own. It
/// is small enough to be passed as `any Encoder` without an allocation.
struct ScopedEncoder: Encoder, SingleValueEncodingContainer {
    let core: EncoderCore
    /// The index of the frame of this value's own container, if it begins one.
    let base: Int32
    let pathCount: Int32
    /// The position at which this value's bytes begin.
    let start: Int

    var codingPath: [any CodingKey] { Array(core.path.prefix(Int(pathCount))) }
    var userInfo: [CodingUserInfoKey: Any] { CodingContext.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let (core, handle) = container(isMap: true)
        return KeyedEncodingContainer(CBORKeyedEncodingContainer<Key>(core: core, handle: handle))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let (core, handle) = container(isMap: false)
        return CBORUnkeyedEncodingContainer(core: core, handle: handle)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        self
    }

    mutating func encodeNil() throws {
        try checkFresh()
        core.writer.appendNull()
    }

    @inline(__always)
    mutating func encode<Value: CodablePrimitive>(_ value: Value) throws { try append(value) }
    // `Codable` has implementations for these two types, which take precedence over generic ones.
    mutating func encode(_ value: Int128) throws { try append(value) }
    mutating func encode(_ value: UInt128) throws { try append(value) }

    @inline(__always)
    private func append(_ value: some CodablePrimitive) throws {
        try checkFresh()
        value.write(to: &core.writer)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try checkFresh()
        if try !core.encodeFast(value) { try core.encodeScope(value) }
    }

    /// Returns the value's container. A class and its superclass may both request it, and then share it.
    private func container(isMap: Bool) -> (EncoderCore, EncoderHandle) {
        let index = Int(base)
        if index < core.frames.count {
            let frame = core.frames[index]
            if frame.start == start && frame.isMap == isMap {
                return (core, EncoderHandle(index: base, serial: frame.serial))
            }
        } else if index == core.frames.count && core.writer.bytes.count == start {
            return (core, isMap ? core.open(isMap: true) : core.openArray())
        }
        core.fail(secondValue("container"))
        let discarded = core.discarded()
        return (discarded, discarded.open(isMap: isMap))
    }

    /// Checks that nothing of this value has been written yet.
    private func checkFresh() throws {
        guard core.writer.bytes.count == start && core.frames.count == Int(base) else { throw secondValue("value") }
    }

    private func secondValue(_ value: String) -> EncodingError {
        .invalid(value, codingPath, "A value was encoded where there is one already.")
    }
}

/// A map to which a value appends its entries.
struct CBORKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let core: EncoderCore
    let handle: EncoderHandle

    var codingPath: [any CodingKey] { core.codingPath(of: handle) }

    mutating func encodeNil(forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.appendNull() }
    }

    @inline(__always)
    mutating func encode<Value: CodablePrimitive>(_ value: Value, forKey key: Key) throws { append(value, key) }
    // `Codable` has implementations for these two types, which take precedence over generic ones.
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
        core.nestedMap(NestedKey.self, forKey: key, in: handle)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        core.nestedArray(forKey: key, in: handle)
    }

    mutating func superEncoder() -> any Encoder {
        nestedEncoder(under: CBORCodingKey.superKey)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        nestedEncoder(under: key)
    }

    private func nestedEncoder(under key: any CodingKey) -> any Encoder {
        core.nestedEncoder(isOpen: core.appendKey(key.stringValue, handle), under: key, in: handle)
    }
}

/// An array to which a value appends its elements.
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
    // `Codable` has implementations for these two types, which take precedence over generic ones.
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
        core.nestedMap(NestedKey.self, isOpen: core.appendElement(handle), under: lastKey, in: handle)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        core.nestedArray(isOpen: core.appendElement(handle), under: lastKey, in: handle)
    }

    mutating func superEncoder() -> any Encoder {
        core.nestedEncoder(isOpen: core.appendElement(handle), under: lastKey, in: handle)
    }

    private var lastKey: CBORCodingKey { CBORCodingKey(index: count - 1) }
}
