/// The encoder that one value gets, and the place of a value that is neither an array nor a map of its own. Small enough to travel as `any Encoder` without an allocation.
struct ScopedEncoder: Encoder, SingleValueEncodingContainer {
    let core: EncoderCore
    /// Where this value's own container stands, if it begins one.
    let base: Int32
    let pathCount: Int32
    /// Where this value's bytes start.
    let start: Int

    var codingPath: [any CodingKey] { Array(core.path.prefix(Int(pathCount))) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

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
        try isFresh()
        core.writer.appendNull()
    }

    @inline(__always)
    mutating func encode<Value: CodablePrimitive>(_ value: Value) throws { try append(value) }
    // Of these two `Codable` has implementations of its own, which go before generic ones.
    mutating func encode(_ value: Int128) throws { try append(value) }
    mutating func encode(_ value: UInt128) throws { try append(value) }

    @inline(__always)
    private func append(_ value: some CodablePrimitive) throws {
        try isFresh()
        value.write(to: &core.writer)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try isFresh()
        if try !core.encodeFast(value) { try core.encodeScope(value) }
    }

    /// The value's container: a class and its super class may both ask for it and then share it.
    private func container(isMap: Bool) -> (EncoderCore, EncoderHandle) {
        let index = Int(base)
        if index < core.frames.count {
            let frame = core.frames[index]
            if frame.start == start && frame.isMap == isMap {
                return (core, EncoderHandle(index: base, serial: Int32(frame.serial)))
            }
        } else if index == core.frames.count && core.writer.bytes.count == start {
            return (core, isMap ? core.open(isMap: true) : core.openArray())
        }
        core.fail(secondValue("container"))
        let discarded = core.discarded()
        return (discarded, discarded.open(isMap: isMap))
    }

    /// Whether nothing of this value has been written yet.
    private func isFresh() throws {
        guard core.writer.bytes.count == start && core.frames.count == Int(base) else { throw secondValue("value") }
    }

    private func secondValue(_ value: String) -> EncodingError {
        EncodingError.invalidValue(
            value,
            EncodingError.Context(
                codingPath: codingPath,
                debugDescription: "A value was encoded where there is one already."
            )
        )
    }
}
