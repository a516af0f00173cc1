/// Percent encoding, as in URLs. An ASCII letter, a digit or one of `-._~` stays as it is. Every other character
/// becomes `%` and two digits for each byte of its UTF-8.
package enum PercentCoding {
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "A"..."Z", "a"..."z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }

    /// Returns the encoded text.
    package static func encoded(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return text }
        return text.utf8.map { isPlain($0) ? String(UnicodeScalar($0)) : "%" + $0.hexadecimal.uppercased() }.joined()
    }

    /// Returns the decoded text, or nil if a `%` is not followed by two digits or the bytes are not UTF-8.
    package static func decoded(_ text: Substring) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        var bytes = Array(parts[0])
        for part in parts.dropFirst() {
            let digits = part.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            guard digits.count == 2 else { return nil }
            bytes.append(UInt8(digits[0] * 16 + digits[1]))
            bytes += part.dropFirst(2)
        }
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }
}
