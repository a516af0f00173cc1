// Each read throws a `WireError`: `malformedBody` for bytes that are no value, `badField` for a value of another type.

extension CBORReader {
    package mutating func unsigned() throws(WireError) -> UInt64 {
        try argument(0, "an unsigned integer")
    }

    /// Reads an unsigned integer that fits into the number asked for.
    package mutating func unsigned<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type
    ) throws(WireError) -> Number {
        let start = offset
        let value = try unsigned()
        guard let number = Number(exactly: value) else {
            throw .outOfRange("\(value)", maximum: "\(Number.max)", at: start)
        }
        return number
    }

    package mutating func int32() throws(WireError) -> Int32 {
        let start = offset
        let type = try peek()
        let argument = type == .negative ? try argument(1, "an integer") : try argument(0, "an integer")
        guard argument <= UInt64(Int32.max) else {
            throw .outOfRange(type == .negative ? "-1-\(argument)" : "\(argument)", maximum: "\(Int32.max)", at: start)
        }
        let magnitude = Int32(truncatingIfNeeded: argument)
        return type == .negative ? ~magnitude : magnitude
    }

    /// Reads a byte string; its bytes stay where they are.
    package mutating func byteString() throws(WireError) -> UnsafeRawBufferPointer {
        try content(2, "a byte string")
    }

    /// Whether a text string comes next.
    var nextIsText: Bool { offset < bytes.count && bytes[offset] >> 5 == 3 }

    /// Reads a text string and checks that it is UTF-8.
    package mutating func text() throws(WireError) -> String {
        let start = offset
        let content = try content(3, "a text string")
        guard let text = CBORReader.string(content) else { throw .invalidUTF8(at: start) }
        return text
    }

    /// - Returns: how many elements follow; never more than there are bytes left.
    package mutating func arrayHeader() throws(WireError) -> Int {
        let start = offset
        let count = try argument(4, "an array")
        guard count <= UInt64(remaining) else { throw .countTooLarge(count, at: start, remaining: remaining) }
        return Int(count)
    }

    /// - Returns: how many pairs follow; never more than half of the bytes left.
    package mutating func mapHeader() throws(WireError) -> Int {
        let start = offset
        let count = try argument(5, "a map")
        guard count <= UInt64(remaining / 2) else { throw .countTooLarge(count, at: start, remaining: remaining) }
        return Int(count)
    }

    package mutating func bool() throws(WireError) -> Bool {
        let type = try peek()
        guard type == .bool else { throw .wrongType(type, expected: "a boolean", at: offset) }
        let value = bytes[offset] == 0xf5
        offset += 1
        return value
    }

    /// Reads a null if one is next.
    package mutating func null() throws(WireError) -> Bool {
        guard try peek() == .null else { return false }
        offset += 1
        return true
    }

    /// Reads a float of any width.
    package mutating func float() throws(WireError) -> Double {
        let start = offset
        let type = try peek()
        guard type == .float else { throw .wrongType(type, expected: "a floating-point number", at: start) }
        let head = try head()
        switch head.info {
        case 25: return Double(HalfPrecision.value(UInt16(truncatingIfNeeded: head.argument)))
        case 26: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: head.argument)))
        default: return Double(bitPattern: head.argument)
        }
    }

    /// The string of these bytes, or nil if they are not UTF-8.
    static func string(_ content: UnsafeRawBufferPointer) -> String? {
        var all: UInt8 = 0
        for byte in content { all |= byte }
        // ASCII, which most strings are, needs no repair: the faster initialiser cannot change it.
        guard all >= 0x80 else { return String(decoding: content, as: UTF8.self) }
        return String(validating: content.bindMemory(to: UInt8.self), as: UTF8.self)
    }
}
