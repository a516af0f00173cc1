/// The `@WorkerLocal` parts of a state, by their position, while the rest of the state is restored to an earlier one.
package final class WorkerLocalParts: @unchecked Sendable {
    // Unchecked because only the one call that encodes or decodes uses it.

    @TaskLocal static var current: WorkerLocalParts?

    private var parts: [[String]: any Sendable] = [:]

    private init() {}

    /// Decodes a state and gives it the parts of another state that are at the same positions. A position consists of
    /// the keys that lead to the part. Parts inside the elements of an array or a set have no position.
    ///
    /// - Complexity: O(*n*) in addition to `decode`, where *n* is the number of keys in the state without its arrays.
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

/// An encoder that visits a value and writes nothing. A part that cannot be encoded does not affect the others.
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

    /// Elements have no position and are skipped.
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

        // Encoding these types in the general way would call this method again.
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
