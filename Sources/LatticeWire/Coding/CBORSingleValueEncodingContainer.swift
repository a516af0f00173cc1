/// The place of one value that is neither an array nor a map of its own.
struct CBORSingleValueEncodingContainer: SingleValueEncodingContainer {
    let encoder: ScopedEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    mutating func encodeNil() throws {
        try encoder.isFresh()
        encoder.core.writer.appendNull()
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try encoder.isFresh()
        if try !encoder.core.encodeFast(value) {
            try encoder.core.encodeScope(value)
        }
    }
}

// One line for each type that `Codable` knows.
extension CBORSingleValueEncodingContainer {
    mutating func encode(_ value: Bool) throws {
        try encoder.isFresh()
        encoder.core.writer.append(bool: value)
    }

    mutating func encode(_ value: String) throws {
        try encoder.isFresh()
        encoder.core.writer.append(text: value)
    }

    mutating func encode(_ value: Double) throws {
        try encoder.isFresh()
        encoder.core.writer.append(double: value)
    }

    mutating func encode(_ value: Float) throws {
        try encoder.isFresh()
        encoder.core.writer.append(float: value)
    }

    mutating func encode(_ value: Int) throws {
        try encoder.isFresh()
        encoder.core.writer.append(integer: Int64(value))
    }

    mutating func encode(_ value: Int8) throws {
        try encoder.isFresh()
        encoder.core.writer.append(integer: Int64(value))
    }

    mutating func encode(_ value: Int16) throws {
        try encoder.isFresh()
        encoder.core.writer.append(integer: Int64(value))
    }

    mutating func encode(_ value: Int32) throws {
        try encoder.isFresh()
        encoder.core.writer.append(integer: Int64(value))
    }

    mutating func encode(_ value: Int64) throws {
        try encoder.isFresh()
        encoder.core.writer.append(integer: value)
    }

    mutating func encode(_ value: UInt) throws {
        try encoder.isFresh()
        encoder.core.writer.append(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt8) throws {
        try encoder.isFresh()
        encoder.core.writer.append(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt16) throws {
        try encoder.isFresh()
        encoder.core.writer.append(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt32) throws {
        try encoder.isFresh()
        encoder.core.writer.append(unsigned: UInt64(value))
    }

    mutating func encode(_ value: UInt64) throws {
        try encoder.isFresh()
        encoder.core.writer.append(unsigned: value)
    }

    mutating func encode(_ value: Int128) throws {
        try encoder.isFresh()
        encoder.core.writer.append(wide: value)
    }

    mutating func encode(_ value: UInt128) throws {
        try encoder.isFresh()
        encoder.core.writer.append(wide: value)
    }
}
