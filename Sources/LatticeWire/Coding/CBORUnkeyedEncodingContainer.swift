/// An array that a value appends its elements to.
struct CBORUnkeyedEncodingContainer: UnkeyedEncodingContainer {
    let core: EncoderCore
    let handle: EncoderHandle

    var codingPath: [any CodingKey] { core.codingPath(of: handle) }
    var count: Int { core.count(of: handle) }

    mutating func encodeNil() throws {
        if core.appendElement(handle) { core.writer.appendNull() }
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        guard core.appendElement(handle) else { return }
        let start = core.writer.bytes.count
        do {
            if try core.encodeFast(value) { return }
            core.path.append(lastKey)
            try core.encodeScope(value)
            core.path.removeLast()
        } catch {
            core.noteFailure()
            core.rollBack(handle, to: start)
            throw error
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        let (core, handle) = nested(isMap: true)
        return KeyedEncodingContainer(CBORKeyedEncodingContainer<NestedKey>(core: core, handle: handle))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let (core, handle) = nested(isMap: false)
        return CBORUnkeyedEncodingContainer(core: core, handle: handle)
    }

    mutating func superEncoder() -> any Encoder {
        guard core.appendElement(handle) else { return core.discarded().wholeEncoder }
        return core.addChild(key: lastKey, of: handle).wholeEncoder
    }

    private func nested(isMap: Bool) -> (EncoderCore, EncoderHandle) {
        guard core.appendElement(handle) else {
            let discarded = core.discarded()
            return (discarded, discarded.open(isMap: isMap))
        }
        return core.nested(isMap: isMap, key: lastKey, of: handle)
    }

    private var lastKey: CBORCodingKey { CBORCodingKey(index: count - 1) }
}

// One line for each type that `Codable` knows.
extension CBORUnkeyedEncodingContainer {
    mutating func encode(_ value: Bool) throws {
        if core.appendElement(handle) { core.writer.append(bool: value) }
    }

    mutating func encode(_ value: String) throws {
        if core.appendElement(handle) { core.writer.append(text: value) }
    }

    mutating func encode(_ value: Double) throws {
        if core.appendElement(handle) { core.writer.append(double: value) }
    }

    mutating func encode(_ value: Float) throws {
        if core.appendElement(handle) { core.writer.append(float: value) }
    }

    mutating func encode(_ value: Int) throws {
        if core.appendElement(handle) { core.writer.append(integer: Int64(value)) }
    }

    mutating func encode(_ value: Int8) throws {
        if core.appendElement(handle) { core.writer.append(integer: Int64(value)) }
    }

    mutating func encode(_ value: Int16) throws {
        if core.appendElement(handle) { core.writer.append(integer: Int64(value)) }
    }

    mutating func encode(_ value: Int32) throws {
        if core.appendElement(handle) { core.writer.append(integer: Int64(value)) }
    }

    mutating func encode(_ value: Int64) throws {
        if core.appendElement(handle) { core.writer.append(integer: value) }
    }

    mutating func encode(_ value: UInt) throws {
        if core.appendElement(handle) { core.writer.append(unsigned: UInt64(value)) }
    }

    mutating func encode(_ value: UInt8) throws {
        if core.appendElement(handle) { core.writer.append(unsigned: UInt64(value)) }
    }

    mutating func encode(_ value: UInt16) throws {
        if core.appendElement(handle) { core.writer.append(unsigned: UInt64(value)) }
    }

    mutating func encode(_ value: UInt32) throws {
        if core.appendElement(handle) { core.writer.append(unsigned: UInt64(value)) }
    }

    mutating func encode(_ value: UInt64) throws {
        if core.appendElement(handle) { core.writer.append(unsigned: value) }
    }

    mutating func encode(_ value: Int128) throws {
        if core.appendElement(handle) { core.writer.append(wide: value) }
    }

    mutating func encode(_ value: UInt128) throws {
        if core.appendElement(handle) { core.writer.append(wide: value) }
    }
}
