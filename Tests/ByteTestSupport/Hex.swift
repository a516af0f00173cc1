/// Conversions between bytes and hexadecimal digits.
package enum Hex {
    /// Returns the bytes of hexadecimal digits. Other characters are ignored.
    package static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.compactMap(\.hexDigitValue).map(UInt8.init)
        return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// Returns bytes as lowercase hexadecimal digits.
    package static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
