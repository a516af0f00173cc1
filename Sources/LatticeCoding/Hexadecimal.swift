extension Collection<UInt8> {
    /// The bytes as text, with two hexadecimal digits in lower case for each byte.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { text in
            var length = 0
            for byte in self {
                text[length] = Self.digit(byte >> 4)
                text[length + 1] = Self.digit(byte & 0xf)
                length += 2
            }
            return length
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The number as hexadecimal digits in lower case, with leading zeros.
    package var hexadecimal: String { withUnsafeBytes(of: bigEndian) { $0.hexadecimal } }
}
