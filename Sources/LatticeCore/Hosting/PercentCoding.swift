/// Text inside text, as in URLs: what is not an ASCII letter, a digit or one of `-._~` becomes `%` and two digits for
/// each byte of its UTF-8.
enum PercentCoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func encoded(_ text: String) -> String {
        guard !text.utf8.allSatisfy(isPlain) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text, or nil: a `%` without two digits behind it, or bytes that are not UTF-8.
    static func decoded(_ text: Substring) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text.isEmpty ? nil : String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let code = String(rest.prefix(2)), code.utf8.count == 2, let byte = UInt8(code, radix: 16) else {
                return nil
            }
            bytes.append(byte)
            rest.removeFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
