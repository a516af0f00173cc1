// Reads single values, with the errors of `Codable`.

extension DecoderCore {
    /// Calls `body` with a reader, and converts its error into one that contains the path and the requested type.
    @inline(__always)
    func read<Value>(
        _ type: Any.Type,
        _ offset: inout Int,
        _ body: (inout CBORReader) throws(CBORError) -> Value
    ) throws -> Value {
        skipTags(&offset)
        var reader = CBORReader(bytes, offset: offset)
        do throws(CBORError) {
            let value = try body(&reader)
            offset = reader.offset
            return value
        } catch {
            throw translated(error, type, at: offset)
        }
    }

    @inline(never)
    private func translated(_ error: CBORError, _ type: Any.Type, at offset: Int) -> DecodingError {
        guard error.code == .unexpected else { return .corrupted(error, path: path) }
        let context = DecodingError.Context(
            codingPath: path,
            debugDescription: error.sentence,
            underlyingError: error
        )
        return isNull(at: offset) ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// Returns whether the value is null, with or without tags.
    func isNull(at offset: Int) -> Bool {
        var offset = offset
        skipTags(&offset)
        return offset < bytes.count && (bytes[offset] == 0xf6 || bytes[offset] == 0xf7)
    }

    /// Skips tags. They describe the value for other readers, while here its type is known. The tags of bignums are
    /// part of the value and are not skipped.
    @inline(__always)
    func skipTags(_ offset: inout Int) {
        while offset < bytes.count, bytes[offset] >> 5 == 6, bytes[offset] != 0xc2, bytes[offset] != 0xc3 {
            var reader = CBORReader(bytes, offset: offset)
            guard (try? reader.head()) != nil else { return }  // The read that follows reports it.
            offset = reader.offset
        }
    }

    func bool(_ offset: inout Int) throws -> Bool {
        try read(Bool.self, &offset) { reader throws(CBORError) in try reader.bool() }
    }

    func text(_ offset: inout Int) throws -> String {
        try read(String.self, &offset) { reader throws(CBORError) in try reader.text() }
    }

    func arrayHeader(_ type: Any.Type, _ offset: inout Int) throws -> Int {
        try read(type, &offset) { reader throws(CBORError) in try reader.arrayHeader() }
    }

    /// Reads an integer of up to 64 bits, and checks that it fits.
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ offset: inout Int) throws -> Number {
        skipTags(&offset)
        var reader = CBORReader(bytes, offset: offset)
        if let number = reader.plainInteger(Number.self) {
            offset = reader.offset
            return number
        }
        let start = offset
        let head = try read(type, &offset) { reader throws(CBORError) in try reader.integerHead() }
        let value = Number(exactly: head.argument)
        guard let value, head.major == 0 || Number.isSigned else {
            throw doesNotFit("number \(head.integer)", type, at: start)
        }
        // Each signed type that holds n also holds -1 - n.
        return head.major == 0 ? value : ~value
    }

    @inline(never)
    private func doesNotFit(_ what: String, _ type: Any.Type, at offset: Int) -> DecodingError {
        let sentence = "The \(what) at byte \(offset) does not fit into \(type)."
        return .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: sentence))
    }

    /// Reads a float of any width, or an integer that a float can hold exactly.
    func double(_ offset: inout Int) throws -> Double {
        skipTags(&offset)
        var reader = CBORReader(bytes, offset: offset)
        if let number = reader.plainDouble() {
            offset = reader.offset
            return number
        }
        guard offset < bytes.count, bytes[offset] >> 5 < 2 else {
            return try read(Double.self, &offset) { reader throws(CBORError) in try reader.float() }
        }
        let start = offset
        let head = try read(Double.self, &offset) { reader throws(CBORError) in try reader.integerHead() }
        guard let value = Double(exactly: head.integer) else {
            throw doesNotFit("number \(head.integer)", Double.self, at: start)
        }
        return value
    }

    func float(_ offset: inout Int) throws -> Float {
        let start = offset
        let wide = try double(&offset)
        let value = Float(wide)
        guard Double(value) == wide || wide.isNaN else { throw doesNotFit("number \(wide)", Float.self, at: start) }
        return value
    }

    /// Reads an integer, or a bignum of up to 16 bytes.
    func wide<Number: FixedWidthInteger>(_ type: Number.Type, _ offset: inout Int) throws -> Number {
        skipTags(&offset)
        let start = offset
        guard offset < bytes.count, bytes[offset] == 0xc2 || bytes[offset] == 0xc3 else {
            return try integer(type, &offset)
        }
        let isNegative = bytes[offset] == 0xc3
        offset += 1
        let content = try read(type, &offset) { reader throws(CBORError) in try reader.byteString() }
        var magnitude: UInt128 = 0
        for byte in content.prefix(16) { magnitude = magnitude << 8 | UInt128(byte) }
        guard content.count <= 16, let value = Number(exactly: magnitude), !isNegative || Number.isSigned else {
            throw doesNotFit("bignum", type, at: start)
        }
        return isNegative ? ~value : value
    }
}
