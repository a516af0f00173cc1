public import LatticeWire

extension DescriptionValue {
    /// Creates the value of a JSON text. Integers stay exact from -2^64 to 2^64 - 1, and other numbers become
    /// floating-point numbers. Of several entries with the same key, there must be one.
    ///
    /// - Throws: ``ControlError`` with the code `invalid` and the position of the error.
    public init(json: String) throws {
        var parser = JSONParser(json)
        self = try parser.whole()
    }
}

/// A parser of JSON (RFC 8259).
private struct JSONParser {
    /// The maximum number of arrays and maps inside one another, as for the states and actions of features.
    private static let maximumDepth = 127

    private let bytes: [UInt8]
    private var offset = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    mutating func whole() throws -> DescriptionValue {
        let value = try value(inside: 0)
        skipSpace()
        guard offset == bytes.count else { throw wrong("There is more after the value") }
        return value
    }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { offset += 1 }
    }

    private func wrong(_ what: String) -> ControlError {
        .invalid("\(what) at byte \(offset) of the JSON. Correct it.")
    }

    private mutating func takes(_ character: Character) -> Bool {
        guard next == character.asciiValue else { return false }
        offset += 1
        return true
    }

    private mutating func value(inside level: Int) throws -> DescriptionValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try nested(level) { parser in .map(try parser.entries(level + 1)) }
        case UInt8(ascii: "["): return try nested(level) { parser in .array(try parser.elements(level + 1)) }
        case UInt8(ascii: "\""): return .text(try text())
        case let byte? where byte == UInt8(ascii: "-") || 48...57 ~= byte: return try number()
        default:
            for (word, value) in [("null", .null), ("true", true), ("false", false)] as [(String, DescriptionValue)]
            where bytes[offset...].starts(with: word.utf8) {
                offset += word.utf8.count
                return value
            }
            throw wrong(next == nil ? "A value is missing" : "This is no value")
        }
    }

    private mutating func nested(
        _ level: Int,
        _ read: (inout JSONParser) throws -> DescriptionValue
    ) throws -> DescriptionValue {
        guard level < Self.maximumDepth else { throw wrong("More than \(Self.maximumDepth) levels are nested") }
        offset += 1
        return try read(&self)
    }

    private mutating func elements(_ level: Int) throws -> [DescriptionValue] {
        skipSpace()
        if takes("]") { return [] }
        var elements: [DescriptionValue] = []
        repeat {
            elements.append(try value(inside: level))
            skipSpace()
        } while takes(",")
        guard takes("]") else { throw wrong("A comma or a closing bracket is missing") }
        return elements
    }

    private mutating func entries(_ level: Int) throws -> [String: DescriptionValue] {
        skipSpace()
        if takes("}") { return [:] }
        var entries: [String: DescriptionValue] = [:]
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw wrong("A key is missing") }
            let key = try text()
            skipSpace()
            guard takes(":") else { throw wrong("A colon is missing") }
            let value = try value(inside: level)
            guard entries.updateValue(value, forKey: key) == nil else { throw wrong("A key occurs twice") }
            skipSpace()
        } while takes(",")
        guard takes("}") else { throw wrong("A comma or a closing brace is missing") }
        return entries
    }

    private mutating func number() throws -> DescriptionValue {
        let start = offset
        while let byte = next, "+-.eE0123456789".utf8.contains(byte) { offset += 1 }
        let digits = String(decoding: bytes[start..<offset], as: UTF8.self)
        let integer = digits.hasPrefix("-") ? digits.dropFirst() : digits[...]
        let isPlain = integer.utf8.allSatisfy { 48...57 ~= $0 }
        // A leading zero, a missing digit and a leading plus are no JSON.
        let isJSON =
            integer.first?.isNumber == true && digits.last?.isNumber == true && !digits.lowercased().contains(".e")
            && !(integer.count > 1 && integer.hasPrefix("0") && integer.dropFirst().first?.isNumber == true)
        guard isJSON else { throw wrong("This is no number before the position") }
        if isPlain, let number = Int128(digits), -(1 << 64)...((1 << 64) - 1) ~= number { return .integer(number) }
        guard let number = Double(digits), number.isFinite else { throw wrong("This is no number before the position") }
        return .float(number)
    }

    private mutating func text() throws -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw wrong("A text contains a control character") }
            offset += 1
            if byte == UInt8(ascii: "\\") { text += Array(String(try escaped()).utf8) } else { text.append(byte) }
        }
        guard takes("\"") else { throw wrong("A text has no end") }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escaped() throws -> Unicode.Scalar {
        guard let byte = next else { throw wrong("A text has no end") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let high = try unit()
            if let scalar = Unicode.Scalar(high) { return scalar }
            // Two units together are one character.
            if 0xd800..<0xdc00 ~= high, bytes[offset...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
                offset += 2
                let low = try unit()
                if 0xdc00..<0xe000 ~= low,
                    let scalar = Unicode.Scalar(0x10000 + (high - 0xd800) << 10 + (low - 0xdc00))
                {
                    return scalar
                }
            }
            throw wrong("An escape is half of a character")
        default: throw wrong("This escape is unknown")
        }
    }

    private mutating func unit() throws -> UInt32 {
        let digits = bytes[offset..<min(offset + 4, bytes.count)]
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw wrong("An escape needs four hexadecimal digits") }
        offset += 4
        return unit
    }
}
