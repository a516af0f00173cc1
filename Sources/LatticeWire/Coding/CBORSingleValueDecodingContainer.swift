/// One value that is neither an array nor a map of its own.
struct CBORSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: ScopedDecoder

    private var core: DecoderCore { decoder.core }
    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool {
        core.isNull(at: decoder.offset)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try core.decode(type, at: decoder.offset)
    }
}

// One line for each type that `Codable` knows.
extension CBORSingleValueDecodingContainer {
    func decode(_ type: Bool.Type) throws -> Bool {
        var offset = decoder.offset
        return try core.bool(&offset)
    }

    func decode(_ type: String.Type) throws -> String {
        var offset = decoder.offset
        return try core.text(&offset)
    }

    func decode(_ type: Double.Type) throws -> Double {
        var offset = decoder.offset
        return try core.double(&offset)
    }

    func decode(_ type: Float.Type) throws -> Float {
        var offset = decoder.offset
        return try core.float(&offset)
    }

    func decode(_ type: Int.Type) throws -> Int {
        var offset = decoder.offset
        return try core.integer(Int.self, &offset)
    }

    func decode(_ type: Int8.Type) throws -> Int8 {
        var offset = decoder.offset
        return try core.integer(Int8.self, &offset)
    }

    func decode(_ type: Int16.Type) throws -> Int16 {
        var offset = decoder.offset
        return try core.integer(Int16.self, &offset)
    }

    func decode(_ type: Int32.Type) throws -> Int32 {
        var offset = decoder.offset
        return try core.integer(Int32.self, &offset)
    }

    func decode(_ type: Int64.Type) throws -> Int64 {
        var offset = decoder.offset
        return try core.integer(Int64.self, &offset)
    }

    func decode(_ type: UInt.Type) throws -> UInt {
        var offset = decoder.offset
        return try core.integer(UInt.self, &offset)
    }

    func decode(_ type: UInt8.Type) throws -> UInt8 {
        var offset = decoder.offset
        return try core.integer(UInt8.self, &offset)
    }

    func decode(_ type: UInt16.Type) throws -> UInt16 {
        var offset = decoder.offset
        return try core.integer(UInt16.self, &offset)
    }

    func decode(_ type: UInt32.Type) throws -> UInt32 {
        var offset = decoder.offset
        return try core.integer(UInt32.self, &offset)
    }

    func decode(_ type: UInt64.Type) throws -> UInt64 {
        var offset = decoder.offset
        return try core.integer(UInt64.self, &offset)
    }

    func decode(_ type: Int128.Type) throws -> Int128 {
        var offset = decoder.offset
        return try core.wide(Int128.self, &offset)
    }

    func decode(_ type: UInt128.Type) throws -> UInt128 {
        var offset = decoder.offset
        return try core.wide(UInt128.self, &offset)
    }
}
