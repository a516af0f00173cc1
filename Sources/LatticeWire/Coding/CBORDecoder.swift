/// Decodes any `Decodable` value from CBOR (RFC 8949).
///
/// It is strict: one value that fills the bytes, heads as short as possible, definite lengths, keys that are text (or
/// integers) and occur once, UTF-8, at most ``CBORLimits/maximumDepth`` levels. Floats may be wider than they need to
/// be, keys may come in any order, and tags other than those of bignums are read over. Nothing is reserved for more
/// elements than the bytes left can hold.
///
/// Every level of maps is read over once more, so the time grows with the bytes times the levels, and by log n with the
/// number of keys in a map.
package struct CBORDecoder: Sendable {
    /// Accepts strings, arrays and maps without a length, as other encoders write them. They are rewritten first.
    package var allowsIndefiniteLengths = false

    /// Values that take fewer bytes take no time that anybody waits for.
    private static let smallBytes = 4096

    private let observer: (any CodingObserver)?

    /// - Parameter observer: hears that the decoding of a large value goes on.
    package init(observer: (any CodingObserver)? = nil) {
        self.observer = observer
    }

    /// - Throws: `DecodingError` with the path to what is wrong, or a ``CodingFailure`` around what the value throws.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// - Parameter bytes: are read during the call only.
    /// - Throws: `DecodingError` with the path to what is wrong, or a ``CodingFailure`` around what the value throws.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
        guard allowsIndefiniteLengths else { return try decodeDefinite(type, from: bytes) }
        let rewritten: [UInt8]
        do throws(WireError) {
            rewritten = try DefiniteForm.rewrite(bytes)
        } catch {
            throw DecodingError.corrupted(error, path: [])
        }
        return try rewritten.withUnsafeBytes { try decodeDefinite(type, from: $0) }
    }

    private func decodeDefinite<Value: Decodable>(
        _ type: Value.Type,
        from bytes: UnsafeRawBufferPointer
    ) throws -> Value {
        var core = DecoderCore.takeSpare()
        if bytes.count > Self.smallBytes { core.steps.begin(observer) }
        // A decoder that escapes from the value finds no bytes, instead of bytes that are somebody else's by now.
        defer {
            core.bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            core.steps.end()
            DecoderCore.keepSpare(&core)
        }
        do throws(WireError) {
            // One pass proves that the whole is well-formed and not too deep, before any code of the value runs.
            var reader = CBORReader(bytes)
            guard bytes.count <= UInt32.max else {
                throw .fieldTooLarge("value", actual: bytes.count, maximum: Int(UInt32.max))
            }
            try reader.skip(counting: core.steps)
            try reader.finish()
        } catch {
            throw DecodingError.corrupted(error, path: [])
        }
        core.bytes = bytes
        do {
            return try core.decodeWhole(type)
        } catch {
            throw CodingFailure.wrap(error, at: core.failurePath)
        }
    }
}

extension DecodingError {
    static func corrupted(_ error: WireError, path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(Context(codingPath: path, debugDescription: error.sentence, underlyingError: error))
    }
}

/// Rewrites CBOR with indefinite lengths into the same values with definite ones.
enum DefiniteForm {
    /// - Throws: ``WireError`` with `malformedBody`.
    static func rewrite(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [UInt8] {
        var reader = CBORReader(bytes)
        try reader.skip(allowsIndefinite: true)
        try reader.finish()
        // The pass above has bounded the depth, and with it the recursion.
        reader.offset = 0
        var writer = CBORWriter()
        try rewrite(&reader, &writer)
        return writer.bytes
    }

    private static func rewrite(_ reader: inout CBORReader, _ writer: inout CBORWriter) throws(WireError) {
        let start = reader.offset
        let first = reader.bytes[start]
        let major = first >> 5
        guard first & 0x1f == 31 else {
            let head = try reader.head()
            var children: UInt64 = 0
            switch major {
            case 2, 3: reader.offset += Int(head.argument)
            case 4, 6: children = major == 4 ? head.argument : 1
            case 5: children = 2 * head.argument
            default: break
            }
            writer.append(encoded: UnsafeRawBufferPointer(rebasing: reader.bytes[start..<reader.offset]))
            for _ in 0..<children { try rewrite(&reader, &writer) }
            return
        }
        reader.offset += 1
        if major == 2 || major == 3 {
            var content: [UInt8] = []
            while reader.bytes[reader.offset] != 0xff {
                content.append(contentsOf: try reader.content(major, "a piece of a string"))
            }
            writer.head(major << 5, UInt64(content.count))
            writer.append(encoded: content)
        } else {
            var elements = CBORWriter()
            var count: UInt64 = 0
            while reader.bytes[reader.offset] != 0xff {
                try rewrite(&reader, &elements)
                count += 1
            }
            writer.head(major << 5, major == 5 ? count / 2 : count)
            writer.append(encoded: elements.bytes)
        }
        reader.offset += 1
    }
}
