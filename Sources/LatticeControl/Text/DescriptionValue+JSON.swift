import LatticeWire

extension SectionDescription {
    /// The page as one JSON object, with the keys `section`, `total`, `offset`, `cut` and `rows`. It has no line
    /// breaks.
    public var json: String {
        DescriptionValue.map([
            "section": .text(section),
            "total": .init(total),
            "offset": .init(offset),
            "cut": .init(cut?.description),
            "rows": .array(rows.map { .map($0) }),
        ]).json
    }
}

extension DescriptionValue {
    /// The value as JSON. The keys of maps are sorted. Bytes are a text of hexadecimal digits, and floating-point
    /// numbers that JSON does not have are `null`. It has no line breaks.
    public var json: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let bool): text += bool ? "true" : "false"
        case .integer(let number): text += "\(number)"
        case .float(let number): text += number.isFinite ? "\(number)" : "null"
        case .text(let string): Self.write(string, to: &text)
        case .bytes(let bytes): text += "\"\(Self.digits(bytes))\""
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .map(let entries):
            text += "{"
            for (index, entry) in entries.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text += "," }
                Self.write(entry.key, to: &text)
                text += ":"
                entry.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                // Control characters of either range would act on a terminal.
                if scalar.value < 0x20 || 0x7f..<0xa0 ~= scalar.value {
                    let digits = String(scalar.value, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
    }

    /// Returns bytes as hexadecimal digits.
    static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
