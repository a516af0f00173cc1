/// The parts of a state that stay in the worker, by their place, while the rest goes back to an earlier one.
package final class WorkerLocalParts: @unchecked Sendable {
    // Used by the one call that encodes or decodes.

    @TaskLocal static var current: WorkerLocalParts?

    private var parts: [[String]: any Sendable] = [:]

    private init() {}

    /// Decodes a state with the parts that another one has, as far as they are in the same place, by the keys that lead
    /// there. What is inside the elements of an array or a set has no such place.
    ///
    /// - Complexity: Besides `decode`, O(*n*), where *n* is the number of keys in the state, arrays left out.
    package static func carry<State: Encodable>(
        from state: State,
        _ decode: () throws -> State
    ) rethrows -> State {
        let parts = WorkerLocalParts()
        return try $current.withValue(parts) {
            PartsEncoder(codingPath: []).visit(state)
            return try decode()
        }
    }

    func keep(_ part: any Sendable, at path: [any CodingKey], _ key: some CodingKey) {
        parts[Self.place(path, key)] = part
    }

    func value<Value>(at path: [any CodingKey], _ key: some CodingKey) -> Value? {
        parts[Self.place(path, key)] as? Value
    }

    private static func place(_ path: [any CodingKey], _ key: some CodingKey) -> [String] {
        path.map(\.stringValue) + [key.stringValue]
    }
}

/// Goes through a value as an encoder does, and writes nothing. What cannot be encoded hides nothing but itself.
private struct PartsEncoder: Encoder {
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func visit(_ value: some Encodable) {
        try? value.encode(to: self)
    }

    func behind(_ key: some CodingKey) -> PartsEncoder {
        PartsEncoder(codingPath: codingPath + [key])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Unkeyed(encoder: self) }
    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: PartsEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encodeNil(forKey key: Key) {}
        func encode(_ value: some Encodable, forKey key: Key) { encoder.behind(key).visit(value) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            encoder.behind(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            encoder.behind(key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { encoder.behind(PlainKey(stringValue: "super")) }
        func superEncoder(forKey key: Key) -> any Encoder { encoder.behind(key) }
    }

    /// Elements have no place of their own: they are passed over.
    struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: PartsEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }
        var count = 0

        mutating func encodeNil() { count += 1 }
        mutating func encode(_ value: some Encodable) { count += 1 }
        mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            element().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { element() }

        private mutating func element() -> PartsEncoder {
            count += 1
            return encoder.behind(PlainKey(stringValue: "an element"))
        }
    }

    struct Single: SingleValueEncodingContainer {
        let encoder: PartsEncoder
        var codingPath: [any CodingKey] { encoder.codingPath }

        func encode(_ value: some Encodable) { encoder.visit(value) }

        // These would encode themselves, here.
        func encodeNil() {}
        func encode(_ value: Bool) {}
        func encode(_ value: String) {}
        func encode(_ value: Double) {}
        func encode(_ value: Float) {}
        func encode(_ value: Int) {}
        func encode(_ value: Int8) {}
        func encode(_ value: Int16) {}
        func encode(_ value: Int32) {}
        func encode(_ value: Int64) {}
        func encode(_ value: Int128) {}
        func encode(_ value: UInt) {}
        func encode(_ value: UInt8) {}
        func encode(_ value: UInt16) {}
        func encode(_ value: UInt32) {}
        func encode(_ value: UInt64) {}
        func encode(_ value: UInt128) {}
    }

    struct PlainKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
