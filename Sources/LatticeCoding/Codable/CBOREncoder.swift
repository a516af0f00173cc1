/// Encodes any `Encodable` value as deterministic CBOR (RFC 8949 section 4.2.1), so that equal values have equal bytes.
///
/// Integers and floats have their shortest form, lengths are definite, keys are text and sorted by their encoded bytes,
/// and `[UInt8]` is a byte string. A `Set`, and a dictionary whose keys are not strings, is an array that is sorted by
/// the encoded bytes of its elements or keys. Everything else has the form that the value's own `encode(to:)` produces.
/// This includes a type that passes its encoder on to a set inside it, instead of encoding the set as a value.
package struct CBOREncoder: Sendable {
    private let observer: (any CodingObserver)?

    /// Creates an encoder.
    ///
    /// - Parameter observer: An observer that is notified while the encoding of a large value makes progress.
    package init(observer: (any CodingObserver)? = nil) {
        self.observer = observer
    }

    /// Encodes a value.
    ///
    /// - Throws: An `EncodingError` with the path to the value that cannot be encoded, or a ``CodingFailure`` that
    ///   contains the error of the value's own code.
    /// - Complexity: O(*n* + *k* log *k*), where *n* is the number of bytes and *k* is the number of keys or elements
    ///   that have to be sorted.
    package func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        try EncoderCore.withSpare { core in
            try encode(value, with: core)
            return core.takeBytes()
        }
    }

    /// Appends an encoded value. After an error the bytes are unchanged.
    ///
    /// - Throws: An `EncodingError` with the path to the value that cannot be encoded, or a ``CodingFailure`` that
    ///   contains the error of the value's own code.
    /// - Complexity: O(*n* + *k* log *k*), where *n* is the number of bytes and *k* is the number of keys or elements
    ///   that have to be sorted.
    package func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws {
        try EncoderCore.withSpare { core in
            swap(&core.writer.bytes, &bytes)
            defer { swap(&core.writer.bytes, &bytes) }
            try encode(value, with: core)
        }
    }

    /// Appends a value inside a value that writes itself. The levels of the writer reduce the allowed nesting of the
    /// value.
    package static func append<Value: Encodable>(_ value: Value, to writer: inout CBORWriter) throws {
        try EncoderCore.withSpare { core in
            core.begin(behind: &writer)
            defer { swap(&core.writer, &writer) }
            try CBOREncoder(observer: core.writer.steps?.observer).encode(value, with: core)
        }
    }

    /// Appends the value to the bytes of the core. After an error these are unchanged.
    private func encode<Value: Encodable>(_ value: Value, with core: EncoderCore) throws {
        let start = core.writer.bytes.count
        core.steps.begin(observer)
        defer { core.steps.end() }
        do {
            if try !core.encodeFast(value) {
                try core.encodeScope(value)
            }
            if let failure = core.failure { throw failure }
        } catch {
            core.writer.bytes.removeLast(core.writer.bytes.count - start)
            guard core.needsRestart else { throw CodingFailure.wrap(error, at: core.failurePath) }
        }
        guard core.needsRestart else { return }
        // The value's code wrote alternately to two nested containers, which cannot be done by appending. The encoding
        // is repeated with a buffer for each of them.
        core.writer.bytes.removeLast(core.writer.bytes.count - start)
        let slow = EncoderCore(defersNested: true, outerDepth: core.outerDepth)
        slow.steps.begin(observer)
        defer { slow.steps.end() }
        do {
            try slow.encodeScope(value)
        } catch {
            throw CodingFailure.wrap(error, at: slow.failurePath)
        }
        if let failure = slow.failure { throw failure }
        core.writer.bytes.append(contentsOf: slow.writer.bytes)
    }
}
