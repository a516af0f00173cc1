/// Decodes any `Decodable` value from CBOR (RFC 8949).
///
/// It is strict: one value that fills the bytes, heads as short as possible, definite lengths, keys that are text (or
/// integers) and occur once, UTF-8, at most ``CBORLimits/maximumDepth`` levels. Floats may be wider than they need to
/// be, keys may come in any order, and tags other than those of bignums are read over. Nothing is reserved for more
/// elements than the bytes left can hold.
package struct CBORDecoder: Sendable {
    /// Values that take so many bytes or fewer take no time that anybody waits for: their observer is not asked.
    package static let smallBytes = 4096

    private let observer: (any CodingObserver)?

    /// - Parameter observer: hears that the decoding of a large value goes on.
    package init(observer: (any CodingObserver)? = nil) {
        self.observer = observer
    }

    /// - Throws: `DecodingError` with the path to what is wrong, or a ``CodingFailure`` around what the value throws.
    /// - Complexity: O(*n* · *d* + *k* log *k*), where *n* is the number of bytes, *d* that of the levels of maps, each
    ///   of which is read over once more, and *k* that of the keys of the largest map.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// Reads a value in bytes that are known to be well-formed there.
    static func read<Value: Decodable>(_ type: Value.Type, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws
        -> Value
    {
        try DecoderCore.withSpare(reading: bytes) { try $0.decode(type, at: offset) }
    }

    /// - Parameter bytes: are read during the call only.
    /// - Throws: `DecodingError` with the path to what is wrong, or a ``CodingFailure`` around what the value throws.
    /// - Complexity: O(*n* · *d* + *k* log *k*), where *n* is the number of bytes, *d* that of the levels of maps, each
    ///   of which is read over once more, and *k* that of the keys of the largest map.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
        guard bytes.count <= UInt32.max else {
            throw DecodingError.corrupted(.valueTooLarge(bytes.count, maximum: Int(UInt32.max)), path: [])
        }
        return try DecoderCore.withSpare(reading: bytes, observer: bytes.count > Self.smallBytes ? observer : nil) {
            try $0.decodeWhole(type)
        }
    }
}

extension DecodingError {
    static func corrupted(_ error: CBORError, path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(Context(codingPath: path, debugDescription: error.sentence, underlyingError: error))
    }
}
