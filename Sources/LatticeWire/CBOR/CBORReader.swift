/// Reads CBOR value by value from bytes that it does not own.
///
/// Every read checks its bounds, so no input makes it trap, and nothing is reserved because a header says so. Lengths
/// must be definite and heads the shortest possible; indefinite lengths are accepted where a caller asks for them.
package struct CBORReader {
    /// All bytes, also those read already. Not owned: valid as long as the caller's buffer is.
    package let bytes: UnsafeRawBufferPointer
    /// Where the next value starts.
    package var offset: Int
    /// How many arrays, maps and tags the next value is inside of. Kept by who reads into them.
    var level = 0

    package init(_ bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    package var remaining: Int { bytes.count - offset }
    package var isAtEnd: Bool { offset >= bytes.count }

    /// The three bits of type, shifted down, and the argument of a head. For major type 7 the argument is the simple
    /// value, or the bits of a float whose width `info` tells.
    struct Head {
        var major: UInt8
        var info: UInt8
        var argument: UInt64
    }

    /// Checks that nothing follows.
    package func finish() throws(WireError) {
        guard offset == bytes.count else { throw .trailingBytes(remaining, at: offset) }
    }

    /// The type of the next value, without reading it.
    package func peek() throws(WireError) -> CBORType {
        guard offset < bytes.count else { throw .truncated(at: offset, needed: 1, remaining: 0) }
        return CBORReader.type(of: bytes[offset])
    }

    static func type(of first: UInt8) -> CBORType {
        switch first >> 5 {
        case 0: .unsigned
        case 1: .negative
        case 2: .bytes
        case 3: .text
        case 4: .array
        case 5: .map
        case 6: .tag
        default:
            switch first & 0x1f {
            case 20, 21: .bool
            case 22: .null
            case 23: .undefined
            case 25, 26, 27: .float
            default: .simple
            }
        }
    }

    /// Reads one head of definite length.
    @inline(__always)
    mutating func head() throws(WireError) -> Head {
        guard offset < bytes.count else { throw .truncated(at: offset, needed: 1, remaining: 0) }
        let first = bytes[offset]
        let info = first & 0x1f
        guard info >= 24 else {
            offset += 1
            return Head(major: first >> 5, info: info, argument: UInt64(info))
        }
        return try longHead(first)
    }

    @inline(never)
    private mutating func longHead(_ first: UInt8) throws(WireError) -> Head {
        let info = first & 0x1f
        let start = offset
        guard info <= 27 else {
            let canBeIndefinite = info == 31 && (2...5).contains(first >> 5)
            throw canBeIndefinite ? .indefinite(at: start) : .reservedHead(first, at: start)
        }
        let width = 1 << Int(info - 24)
        guard remaining > width else { throw .truncated(at: start, needed: width + 1, remaining: remaining) }
        let argument: UInt64
        let minimum: UInt64
        switch width {
        case 1:
            argument = UInt64(bytes[start + 1])
            minimum = first >> 5 == 7 ? 32 : 24
        case 2:
            argument = UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 1, as: UInt16.self)))
            minimum = 0x100
        case 4:
            argument = UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 1, as: UInt32.self)))
            minimum = 0x1_0000
        default:
            argument = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start + 1, as: UInt64.self))
            minimum = 0x1_0000_0000
        }
        let isFloat = first >> 5 == 7 && width > 1
        guard argument >= minimum || isFloat else { throw .notShortest(at: start) }
        offset = start + 1 + width
        return Head(major: first >> 5, info: info, argument: argument)
    }

    /// Reads a head that must have one major type.
    @inline(__always)
    mutating func argument(_ major: UInt8, _ expected: String) throws(WireError) -> UInt64 {
        let start = offset
        let head = try head()
        guard head.major == major else {
            offset = start
            throw .wrongType(CBORReader.type(of: bytes[start]), expected: expected, at: start)
        }
        return head.argument
    }

    /// Reads the head and the content of a string.
    @inline(__always)
    mutating func content(_ major: UInt8, _ expected: String) throws(WireError) -> UnsafeRawBufferPointer {
        let length = try argument(major, expected)
        guard length <= UInt64(remaining) else {
            throw .truncated(at: offset, needed: Int(clamping: length), remaining: remaining)
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Int(length))])
        offset += Int(length)
        return content
    }
}
