/// Encodes any `Encodable` value as deterministic CBOR (RFC 8949 section 4.2.1), so that equal values are equal bytes.
///
/// Integers and floats take their shortest form, lengths are definite, keys are text and sorted by their encoded
/// bytes, `[UInt8]` is a byte string. A `Set`, and a dictionary whose keys are not strings, is an array sorted by the
/// encoded bytes of its elements or keys. Everything else is as the value's own `encode(to:)` says: also a type that
/// hands its encoder on to a set inside it, instead of encoding the set as a value.
package struct CBOREncoder: Sendable {
    private let observer: (any CodingObserver)?

    /// - Parameter observer: hears that the encoding of a large value goes on.
    package init(observer: (any CodingObserver)? = nil) {
        self.observer = observer
    }

    /// - Throws: an `EncodingError` with the path to what cannot be encoded, or a ``CodingFailure`` around what the
    ///   value threw.
    /// - Complexity: O(*n* + *k* log *k*), where *n* is the number of bytes and *k* that of the keys or elements that
    ///   are to be sorted.
    package func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
        try EncoderCore.withSpare { core in
            try encode(value, with: core)
            return core.takeBytes()
        }
    }

    /// Appends the encoded value. After an error the bytes are as before.
    ///
    /// - Complexity: O(*n* + *k* log *k*), where *n* is the number of bytes and *k* that of the keys or elements that
    ///   are to be sorted.
    package func encode<Value: Encodable>(_ value: Value, into bytes: inout [UInt8]) throws {
        try EncoderCore.withSpare { core in
            swap(&core.writer.bytes, &bytes)
            defer { swap(&core.writer.bytes, &bytes) }
            try encode(value, with: core)
        }
    }

    /// Appends a value to one that writes itself. It may be nested less deeply by the levels of the writer.
    package static func append<Value: Encodable>(_ value: Value, to writer: inout CBORWriter) throws {
        try EncoderCore.withSpare { core in
            core.begin(behind: &writer)
            defer { swap(&core.writer, &writer) }
            try CBOREncoder(observer: core.writer.steps?.observer).encode(value, with: core)
        }
    }

    /// Appends the value to what the core has written. After an error that is as before.
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
        // Somebody wrote to two nested containers in turn, which cannot be appended in one go: once more, with a buffer
        // for each of them.
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
