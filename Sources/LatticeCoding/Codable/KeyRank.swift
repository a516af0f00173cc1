/// The beginning of a key, as one number: keys whose numbers differ are in the order of these.
///
/// A key's length, which goes first in the order of encoded keys, and its first seven bytes. Most keys of structures
/// have no more. All keys of 255 bytes and more have one number. To look for the ten keys of a structure
/// took a quarter of its decoding when all bytes were compared.
struct KeyRank: Comparable {
    /// Of the text, which are taken.
    private static let bytes = 7
    /// The length that stands for itself and all above.
    private static let longest = 0xff

    private let value: UInt64

    private init(value: UInt64) {
        self.value = value
    }

    /// Keys that are integers go before all texts.
    static let integer = KeyRank(value: 0)

    /// - Parameter text: without its head.
    @inline(__always)
    init(_ text: UnsafeRawBufferPointer) {
        let count = text.count
        guard count < Self.longest else {
            value = UInt64(Self.longest) << (8 * Self.bytes)
            return
        }
        let end = UInt64(8 * max(0, Self.bytes - count))
        let beginning =
            switch count {
            case 8...: text.bigEndian(UInt64.self, at: 0) >> 8
            // Two loads that overlap are all bytes of a shorter one.
            case 4...: text.bigEndian(UInt32.self, at: 0) << 24 | text.bigEndian(UInt32.self, at: count - 4) << end
            case 2...: text.bigEndian(UInt16.self, at: 0) << 40 | text.bigEndian(UInt16.self, at: count - 2) << end
            case 1: UInt64(text[0]) << 48
            default: UInt64(0)
            }
        value = UInt64(count) << (8 * Self.bytes) | beginning
    }

    /// Whether keys with this number are equal. The empty text has that of integers.
    var isWhole: Bool { value != 0 && value >> (8 * Self.bytes) <= Self.bytes }

    /// Whether each of the first bytes is a character.
    var isASCII: Bool { value & 0x80_8080_8080_8080 == 0 }

    static func < (first: KeyRank, second: KeyRank) -> Bool { first.value < second.value }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    fileprivate func bigEndian<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: Number(bigEndian: loadUnaligned(fromByteOffset: offset, as: type)))
    }
}
