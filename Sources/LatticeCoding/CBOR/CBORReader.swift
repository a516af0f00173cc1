/// Reads CBOR value by value from bytes that it does not own.
///
/// Each read checks its bounds, so that no input can cause a trap, and no memory is reserved only because a header
/// announces elements. Lengths must be definite, and heads must be as short as possible.
public struct CBORReader {
    /// All bytes, including those that were read already. They are valid as long as the caller's buffer is.
    @usableFromInline package let bytes: UnsafeRawBufferPointer
    /// The position at which the next value begins.
    @usableFromInline package var offset: Int
    /// The number of arrays, maps and tags that contain the next value. The code that reads into them maintains it. It
    /// has no meaning after an error.
    @usableFromInline package var level = 0
    /// A Boolean value that indicates whether a value could not be read. The caller may ignore that error and reach the
    /// end of the bytes nevertheless.
    @usableFromInline var hasFailed = false
    /// The number of maps that were begun and not ended, for example because the caller ignored an error inside one of
    /// them.
    var openMaps = 0

    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer, offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    @inlinable package var remaining: Int { bytes.count - offset }
    @inlinable package var isAtEnd: Bool { offset >= bytes.count }

    /// Checks that no bytes follow.
    package func finish() throws(CBORError) {
        guard offset == bytes.count else { throw .trailingBytes(remaining, at: offset) }
    }

    /// Returns the type of the next value, without reading it.
    package func peek() throws(CBORError) -> CBORType {
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
    mutating func head() throws(CBORError) -> CBORHead {
        guard offset < bytes.count, bytes[offset] & 0x1f < 24 else { return try longHead() }
        return try anyHead()
    }

    @inline(never)
    private mutating func longHead() throws(CBORError) -> CBORHead { try anyHead() }

    @inline(__always)
    private mutating func anyHead() throws(CBORError) -> CBORHead {
        guard let head = CBORHead(bytes, at: &offset) else { throw CBORHead.fault(in: bytes, at: offset) }
        return head
    }

    /// Reads a head that must have this major type.
    @inline(__always)
    mutating func argument(_ major: UInt8, _ expected: String) throws(CBORError) -> UInt64 {
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
    mutating func content(_ major: UInt8, _ expected: String) throws(CBORError) -> UnsafeRawBufferPointer {
        let length = try argument(major, expected)
        guard length <= UInt64(remaining) else {
            throw .truncated(at: offset, needed: Int(clamping: length), remaining: remaining)
        }
        let content = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + Int(length))])
        offset += Int(length)
        return content
    }
}

extension CBORReader {
    /// Skips one value of any type, and checks that it is well-formed in its heads, lengths and depth. It does not
    /// check the content of strings or the order of keys. The recursion is bounded by ``CBORLimits/maximumDepth``.
    ///
    /// - Parameter steps: Counts the heads, in a coding that has an observer.
    /// - Throws: ``CBORError`` with `malformed`.
    /// - Complexity: O(*n*), where *n* is the number of heads.
    package mutating func skip(counting steps: CodingSteps? = nil) throws(CBORError) {
        let start = offset
        steps?.step()
        let head = try head()
        switch head.major {
        case 2, 3:
            guard head.argument <= UInt64(remaining) else {
                throw .truncated(at: start, needed: Int(clamping: head.argument), remaining: remaining)
            }
            offset += Int(head.argument)
        case 4...6:
            guard level < CBORLimits.maximumDepth else { throw .tooDeep(at: start, maximum: CBORLimits.maximumDepth) }
            // An array and a map contain as many values as the head counts. A tag contains one value, whatever its
            // number is.
            let width = head.major == 5 ? 2 : 1
            guard head.major == 6 || head.argument <= UInt64(remaining / width) else {
                throw .countTooLarge(head.argument, at: start, remaining: remaining)
            }
            level += 1
            for _ in 0..<(head.major == 6 ? 1 : Int(head.argument) * width) where !skipPlain(counting: steps) {
                try skip(counting: steps)
            }
            level -= 1
        default:
            break
        }
    }
}

extension CBORReader {
    /// A bit for each major type without values inside: numbers, strings, and simple values.
    private static var plainMajors: UInt8 { 0b1000_1111 }
    private static var stringMajors: UInt8 { 0b0000_1100 }

    /// Skips a value with a head of one byte and no values inside, which most values are, or a float. Returns false for
    /// other values.
    @inline(__always)
    private mutating func skipPlain(counting steps: CodingSteps?) -> Bool {
        guard offset < bytes.count else { return false }
        let (major, info) = (bytes[offset] >> 5, Int(bytes[offset] & 0x1f))
        let length: Int
        if info < 24, Self.plainMajors >> major & 1 == 1 {
            // Computed without a branch, because a processor cannot predict whether a text or a number comes next.
            length = 1 + (info & -Int(Self.stringMajors >> major & 1))
        } else if major == 7, info > 24, info < 28 {
            length = 1 + (1 << (info - 24))
        } else {
            return false
        }
        guard length <= remaining else { return false }
        offset += length
        steps?.step()
        return true
    }
}

// Each method throws a `CBORError`: `malformed` for bytes that are not a value, and `unexpected` for a value of another
// type.

extension CBORReader {
    package mutating func unsigned() throws(CBORError) -> UInt64 {
        try argument(0, "an unsigned integer")
    }

    /// Reads an unsigned integer that fits into the given type.
    package mutating func unsigned<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type
    ) throws(CBORError) -> Number {
        let start = offset
        let value = try unsigned()
        guard let number = Number(exactly: value) else {
            throw .outOfRange("\(value)", maximum: "\(Number.max)", at: start)
        }
        return number
    }

    /// Reads the head of a positive or negative integer.
    mutating func integerHead() throws(CBORError) -> CBORHead {
        let start = offset
        let head = try head()
        guard head.major < 2 else {
            offset = start
            throw .wrongType(CBORReader.type(of: bytes[start]), expected: "an integer", at: start)
        }
        return head
    }

    package mutating func int32() throws(CBORError) -> Int32 {
        let start = offset
        let number = try integerHead().integer
        guard let narrow = Int32(exactly: number) else {
            throw .outOfRange("\(number)", maximum: "\(Int32.max)", at: start)
        }
        return narrow
    }

    /// Reads a byte string without copying its bytes.
    package mutating func byteString() throws(CBORError) -> UnsafeRawBufferPointer {
        try content(2, "a byte string")
    }

    /// A Boolean value that indicates whether a text string comes next.
    package var nextIsText: Bool { offset < bytes.count && bytes[offset] >> 5 == 3 }

    /// Reads a text string and checks that it is UTF-8.
    package mutating func text() throws(CBORError) -> String {
        let start = offset
        let content = try content(3, "a text string")
        guard let text = CBORReader.string(content) else { throw .invalidUTF8(at: start) }
        return text
    }

    /// Reads the head of an array.
    ///
    /// - Returns: The number of elements that follow, which is never more than the number of remaining bytes.
    package mutating func arrayHeader() throws(CBORError) -> Int {
        let start = offset
        let count = try argument(4, "an array")
        guard count <= UInt64(remaining) else { throw .countTooLarge(count, at: start, remaining: remaining) }
        return Int(count)
    }

    /// Reads the head of a map.
    ///
    /// - Returns: The number of pairs that follow, which is never more than half of the remaining bytes.
    package mutating func mapHeader() throws(CBORError) -> Int {
        let start = offset
        let count = try argument(5, "a map")
        guard count <= UInt64(remaining / 2) else { throw .countTooLarge(count, at: start, remaining: remaining) }
        return Int(count)
    }

    package mutating func bool() throws(CBORError) -> Bool {
        if let bool = plainBool() { return bool }
        let type = try peek()
        throw .wrongType(type, expected: "a boolean", at: offset)
    }

    /// Reads a float of any width.
    package mutating func float() throws(CBORError) -> Double {
        if let float = plainDouble() { return float }
        let type = try peek()
        guard type == .float else { throw .wrongType(type, expected: "a floating-point number", at: offset) }
        return try head().float
    }

    /// Returns whether one text sorts before another as a key. Shorter texts come first.
    @inline(__always)
    static func precedes(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        guard first.count == second.count else { return first.count < second.count }
        var index = 0
        while index + 8 <= first.count {
            let left = first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let right = second.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard left == right else { return UInt64(bigEndian: left) < UInt64(bigEndian: right) }
            index += 8
        }
        while index < first.count {
            guard first[index] == second[index] else { return first[index] < second[index] }
            index += 1
        }
        return false
    }

    /// Returns the same as ``precedes(_:_:)``, for code that is inlined into other modules.
    @usableFromInline @inline(never)
    static func ascend(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        precedes(first, second)
    }

    /// Returns the string with these bytes, or nil if they are not UTF-8.
    static func string(_ content: UnsafeRawBufferPointer) -> String? {
        // Most strings are ASCII, which needs no repair, so the faster initialiser cannot change them.
        guard !isASCII(content) else { return String(decoding: content, as: UTF8.self) }
        return String(validating: content.bindMemory(to: UInt8.self), as: UTF8.self)
    }

    /// Returns whether these bytes are UTF-8.
    static func isText(_ content: UnsafeRawBufferPointer) -> Bool { isASCII(content) || string(content) != nil }

    @inline(__always)
    private static func isASCII(_ content: UnsafeRawBufferPointer) -> Bool {
        var all: UInt8 = 0
        for byte in content { all |= byte }
        return all < 0x80
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes. Unlike `withUnsafeBytes`, it preserves the type of the error that `body` throws.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { buffer throws(Failure) in
            try body(UnsafeRawBufferPointer(buffer))
        }
    }
}
