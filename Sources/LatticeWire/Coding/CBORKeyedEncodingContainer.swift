/// A map that a value appends its entries to.
struct CBORKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let core: EncoderCore
    let handle: EncoderHandle

    var codingPath: [any CodingKey] { core.codingPath(of: handle) }

    mutating func encodeNil(forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.appendNull() }
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        guard core.appendKey(key.stringValue, handle) else { return }
        let start = core.entries[core.entries.count - 1]
        do {
            if try core.encodeFast(value) { return }
            core.path.append(key)
            try core.encodeScope(value)
            core.path.removeLast()
        } catch {
            core.noteFailure()
            core.rollBack(handle, to: start)
            throw error
        }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let (core, handle) = nested(isMap: true, key)
        return KeyedEncodingContainer(CBORKeyedEncodingContainer<NestedKey>(core: core, handle: handle))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let (core, handle) = nested(isMap: false, key)
        return CBORUnkeyedEncodingContainer(core: core, handle: handle)
    }

    mutating func superEncoder() -> any Encoder {
        superEncoder(CBORCodingKey.superKey)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        superEncoder(key)
    }

    private func nested(isMap: Bool, _ key: Key) -> (EncoderCore, EncoderHandle) {
        guard core.appendKey(key.stringValue, handle) else {
            let discarded = core.discarded()
            return (discarded, discarded.open(isMap: isMap))
        }
        return core.nested(isMap: isMap, key: key, of: handle)
    }

    private func superEncoder(_ key: any CodingKey) -> any Encoder {
        guard core.appendKey(key.stringValue, handle) else { return core.discarded().wholeEncoder }
        return core.addChild(key: key, of: handle).wholeEncoder
    }
}

// One line for each type that `Codable` knows.
extension CBORKeyedEncodingContainer {
    mutating func encode(_ value: Bool, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(bool: value) }
    }

    mutating func encode(_ value: String, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(text: value) }
    }

    mutating func encode(_ value: Double, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(double: value) }
    }

    mutating func encode(_ value: Float, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(float: value) }
    }

    mutating func encode(_ value: Int, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(integer: Int64(value)) }
    }

    mutating func encode(_ value: Int8, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(integer: Int64(value)) }
    }

    mutating func encode(_ value: Int16, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(integer: Int64(value)) }
    }

    mutating func encode(_ value: Int32, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(integer: Int64(value)) }
    }

    mutating func encode(_ value: Int64, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(integer: value) }
    }

    mutating func encode(_ value: UInt, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(unsigned: UInt64(value)) }
    }

    mutating func encode(_ value: UInt8, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(unsigned: UInt64(value)) }
    }

    mutating func encode(_ value: UInt16, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(unsigned: UInt64(value)) }
    }

    mutating func encode(_ value: UInt32, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(unsigned: UInt64(value)) }
    }

    mutating func encode(_ value: UInt64, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(unsigned: value) }
    }

    mutating func encode(_ value: Int128, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(wide: value) }
    }

    mutating func encode(_ value: UInt128, forKey key: Key) throws {
        if core.appendKey(key.stringValue, handle) { core.writer.append(wide: value) }
    }
}
