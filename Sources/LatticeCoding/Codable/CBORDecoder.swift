/// Decodes any `Decodable` value from CBOR (RFC 8949).
///
/// The decoder is strict. It accepts one value that fills the bytes, heads that are as short as possible, definite
/// lengths, keys that are text (or integers) and occur once, UTF-8, and at most ``CBORLimits/maximumDepth`` levels.
/// Floats may be wider than necessary, keys may come in any order, and tags other than those of bignums are skipped. It
/// reserves no memory for more elements than the remaining bytes can hold.
package struct CBORDecoder: Sendable {
    /// The maximum size of values that are decoded without notifying the observer, in bytes. They do not take long
    /// enough to matter.
    package static let smallBytes = 4096

    private let observer: (any CodingObserver)?

    /// Creates a decoder.
    ///
    /// - Parameter observer: An observer that is notified while the decoding of a large value makes progress.
    package init(observer: (any CodingObserver)? = nil) {
        self.observer = observer
    }

    /// Decodes a value.
    ///
    /// - Throws: `DecodingError` with the path to the fault, or a ``CodingFailure`` that contains the error of the
    ///   value's own code.
    /// - Complexity: O(*n* · *d* + *k* log *k*), where *n* is the number of bytes, *d* is the number of levels of maps,
    ///   each of which is skipped once more, and *k* is the number of keys of the largest map.
    package func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try bytes.withUnsafeBytes { try decode(type, from: $0) }
    }

    /// Reads a value from bytes that are known to be well-formed at this position.
    static func read<Value: Decodable>(_ type: Value.Type, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws
        -> Value
    {
        try DecoderCore.withSpare(reading: bytes) { try $0.decode(type, at: offset) }
    }

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The encoded value. The bytes are read only during the call.
    /// - Throws: `DecodingError` with the path to the fault, or a ``CodingFailure`` that contains the error of the
    ///   value's own code.
    /// - Complexity: O(*n* · *d* + *k* log *k*), where *n* is the number of bytes, *d* is the number of levels of maps,
    ///   each of which is skipped once more, and *k* is the number of keys of the largest map.
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
