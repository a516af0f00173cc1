/// The beginning of a key as one number. Keys with different numbers are in the order of these numbers.
///
/// The number consists of the length of the key, which decides first in the order of encoded keys, and of its first
/// seven bytes. Most keys of structures have no more. All keys of 255 bytes and more have the same number. Finding the
/// ten keys of a structure took a quarter of the time for decoding it when all bytes were compared.
struct KeyRank: Comparable {
    /// The number of bytes of the text that are part of the number.
    private static let bytes = 7
    /// The length that stands for itself and all larger lengths.
    private static let maximumLength = 0xff

    private let value: UInt64

    private init(value: UInt64) {
        self.value = value
    }

    /// The rank of keys that are integers. They come before all texts.
    static let integer = KeyRank(value: 0)

    /// Creates the rank of a key.
    ///
    /// - Parameter text: The text of the key, without its head.
    @inline(__always)
    init(_ text: UnsafeRawBufferPointer) {
        let count = text.count
        guard count < Self.maximumLength else {
            value = UInt64(Self.maximumLength) << (8 * Self.bytes)
            return
        }
        let end = UInt64(8 * max(0, Self.bytes - count))
        let beginning =
            switch count {
            case 8...: text.bigEndian(UInt64.self, at: 0) >> 8
            // Two overlapping loads cover all bytes of a shorter key.
            case 4...: text.bigEndian(UInt32.self, at: 0) << 24 | text.bigEndian(UInt32.self, at: count - 4) << end
            case 2...: text.bigEndian(UInt16.self, at: 0) << 40 | text.bigEndian(UInt16.self, at: count - 2) << end
            case 1: UInt64(text[0]) << 48
            default: UInt64(0)
            }
        value = UInt64(count) << (8 * Self.bytes) | beginning
    }

    /// A Boolean value that indicates whether keys with this number are equal. The empty text has the number of
    /// integers.
    var isWhole: Bool { value != 0 && value >> (8 * Self.bytes) <= Self.bytes }

    /// A Boolean value that indicates whether each of the first bytes is an ASCII character.
    var isASCII: Bool { value & 0x80_8080_8080_8080 == 0 }

    static func < (first: KeyRank, second: KeyRank) -> Bool { first.value < second.value }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type)))
    }
}
