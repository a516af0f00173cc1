/// The head with which each value begins (RFC 8949 section 3): its type, and a number in the shortest of five forms.
///
/// All heads are written and read here.
@usableFromInline
package struct CBORHead {
    /// The major type, as a number from 0 to 7.
    @usableFromInline package let major: UInt8
    /// The additional information, which is the lower five bits of the first byte.
    @usableFromInline package let info: UInt8
    /// The argument. For major type 7 it is the simple value, or the bits of a float whose width follows from `info`.
    @usableFromInline package let argument: UInt64

    /// The number, for major type 0 or 1.
    var integer: Int128 { major == 0 ? Int128(argument) : -1 - Int128(argument) }

    /// A Boolean value that indicates whether a head of major type 7 is a float and not a simple value.
    var isFloat: Bool { major == 7 && info > 24 }

    /// The number of a float, whose value is in the head.
    var float: Double {
        switch info {
        case 25: Double(HalfPrecision.value(UInt16(truncatingIfNeeded: argument)))
        case 26: Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument)))
        default: Double(bitPattern: argument)
        }
    }

    /// The maximum number of bytes of a head.
    @usableFromInline static let maximumSize = 9

    /// Reads the head at `offset`, and moves `offset` after it.
    ///
    /// It is nil if the bytes are not a head of definite length in its shortest form. `offset` then stays, and
    /// ``fault(in:at:)`` returns the fault.
    @inlinable @inline(__always)
    package init?(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) {
        guard offset < bytes.count else { return nil }
        let first = bytes[offset]
        major = first >> 5
        info = first & 0x1f
        guard info >= 24 else {
            argument = UInt64(info)
            offset += 1
            return
        }
        let start = offset + 1
        let left = bytes.count - start
        // The smallest argument that needs this width.
        let minimum: UInt64
        switch info {
        case 24 where left >= 1:
            argument = UInt64(bytes[start])
            minimum = major == 7 ? 32 : 24
        case 25 where left >= 2:
            argument = UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt16.self)))
            minimum = 0x100
        case 26 where left >= 4:
            argument = UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
            minimum = 0x1_0000
        case 27 where left >= 8:
            argument = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            minimum = 0x1_0000_0000
        default:
            return nil
        }
        let isFloat = major == 7 && info > 24
        guard argument >= minimum || isFloat else { return nil }
        offset = start + (1 << Int(info - 24))
    }

    /// Returns the fault of bytes that are not a valid head.
    @inline(never)
    static func fault(in bytes: UnsafeRawBufferPointer, at offset: Int) -> CBORError {
        let remaining = bytes.count - offset
        guard remaining > 0 else { return .truncated(at: offset, needed: 1, remaining: 0) }
        let first = bytes[offset]
        let info = first & 0x1f
        guard info <= 27 else {
            let canBeIndefinite = info == 31 && (2...5).contains(first >> 5)
            return canBeIndefinite ? .indefinite(at: offset) : .reservedHead(first, at: offset)
        }
        let size = 1 + (1 << Int(info - 24))
        guard remaining >= size else { return .truncated(at: offset, needed: size, remaining: remaining) }
        return .notShortest(at: offset)
    }

    /// Writes a head in its shortest form.
    ///
    /// - Parameters:
    ///   - major: The major type, shifted to its place in the first byte.
    ///   - argument: The argument.
    ///   - buffer: A buffer with room for ``maximumSize`` bytes.
    /// - Returns: The number of bytes that were written.
    @inlinable @inline(__always)
    package static func write(_ major: UInt8, _ argument: UInt64, to buffer: UnsafeMutableRawPointer) -> Int {
        let info: UInt8
        switch argument {
        case ..<24:
            info = UInt8(truncatingIfNeeded: argument)
        case ...0xff:
            info = 24
            buffer.storeBytes(of: UInt8(truncatingIfNeeded: argument), toByteOffset: 1, as: UInt8.self)
        case ...0xffff:
            info = 25
            buffer.storeBytes(of: UInt16(truncatingIfNeeded: argument).bigEndian, toByteOffset: 1, as: UInt16.self)
        case ...0xffff_ffff:
            info = 26
            buffer.storeBytes(of: UInt32(truncatingIfNeeded: argument).bigEndian, toByteOffset: 1, as: UInt32.self)
        default:
            info = 27
            buffer.storeBytes(of: argument.bigEndian, toByteOffset: 1, as: UInt64.self)
        }
        buffer.storeBytes(of: major | info, as: UInt8.self)
        return info < 24 ? 1 : 1 + (1 << Int(info - 24))
    }
}

/// The type of a value (RFC 8949 section 3.1), as errors name it.
package enum CBORType: Sendable, Hashable, CustomStringConvertible {
    case unsigned, negative, bytes, text, array, map, tag, bool, null, undefined, simple, float

    package var description: String {
        switch self {
        case .unsigned: "an unsigned integer"
        case .negative: "a negative integer"
        case .bytes: "a byte string"
        case .text: "a text string"
        case .array: "an array"
        case .map: "a map"
        case .tag: "a tag"
        case .bool: "a boolean"
        case .null: "null"
        case .undefined: "undefined"
        case .simple: "a simple value"
        case .float: "a floating-point number"
        }
    }
}

/// The limits that RFC 8949 leaves to the reader.
@usableFromInline
package enum CBORLimits {
    /// The maximum nesting of arrays, maps and tags. It is far above real data, and far below the capacity of any
    /// stack.
    @usableFromInline package static let maximumDepth = 128
    /// The maximum size of a value that is sent, in bytes. A coding with more steps
    /// than this is assumed not to end.
    static let maximumValue = 64 << 20
}
