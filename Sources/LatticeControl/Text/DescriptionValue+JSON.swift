import LatticeCoding
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

    /// The value as JSON with one element or entry in a line, indented by two spaces for each level. Empty arrays and
    /// maps take no lines.
    public var indentedJSON: String {
        var text = ""
        write(to: &text, Layout(indent: 0))
        return text
    }

    /// Returns the beginning of the value as JSON.
    ///
    /// - Parameter maximum: The approximate maximum number of bytes.
    /// - Complexity: O(*m*), where *m* is that maximum, except for maps, whose keys are sorted.
    func json(atMost maximum: Int) -> String {
        var text = ""
        let isWhole = write(to: &text, Layout(maximum: maximum))
        guard !isWhole || text.utf8.count > maximum else { return text }
        // Whole characters, so the text has fewer bytes than the maximum or as many.
        var bytes = 0
        let beginning = text.prefix { character in
            bytes += character.utf8.count
            return bytes <= maximum
        }
        return beginning + "…"
    }

    /// How a value is written.
    private struct Layout {
        /// The number of levels around the value if each element has a line, or nil for one line.
        var indent: Int?
        /// The number of bytes after which nothing more is added.
        var maximum = Int.max

        var inner: Layout { Layout(indent: indent.map { $0 + 1 }, maximum: maximum) }

        /// The separator before an element, or after the last one with the layout around it.
        var lineBreak: String { indent.map { "\n" + String(repeating: "  ", count: $0) } ?? "" }
    }

    /// - Returns: Whether the whole value was written.
    @discardableResult
    private func write(to text: inout String, _ layout: Layout = Layout()) -> Bool {
        guard text.utf8.count <= layout.maximum else { return false }
        switch self {
        case .null: text += "null"
        case .bool(let bool): text += bool ? "true" : "false"
        case .integer(let number): text += "\(number)"
        case .float(let number): text += number.isFinite ? "\(number)" : "null"
        case .text(let string): return Self.write(string, to: &text, atMost: layout.maximum)
        case .bytes(let bytes):
            text += "\"\(bytes.prefix(layout.maximum).hexadecimal)\""
            return bytes.count <= layout.maximum
        case .array(let elements):
            return Self.write(elements, in: "[]", to: &text, layout) { element, text in
                element.write(to: &text, layout.inner)
            }
        case .map(let entries):
            return Self.write(entries.sorted { $0.key < $1.key }, in: "{}", to: &text, layout) { entry, text in
                let isWhole = Self.write(entry.key, to: &text, atMost: layout.maximum)
                text += layout.indent == nil ? ":" : ": "
                return entry.value.write(to: &text, layout.inner) && isWhole
            }
        }
        return true
    }

    private static func write<Element>(
        _ elements: [Element],
        in brackets: String,
        to text: inout String,
        _ layout: Layout,
        _ write: (Element, inout String) -> Bool
    ) -> Bool {
        var isWhole = true
        text += brackets.prefix(1)
        for (index, element) in elements.enumerated() {
            guard text.utf8.count <= layout.maximum else {
                isWhole = false
                break
            }
            if index > 0 { text += "," }
            text += layout.inner.lineBreak
            isWhole = write(element, &text) && isWhole
        }
        if !elements.isEmpty { text += layout.lineBreak }
        text += brackets.suffix(1)
        return isWhole
    }

    /// - Returns: Whether the whole string was written.
    private static func write(_ string: String, to text: inout String, atMost maximum: Int) -> Bool {
        text += "\""
        for scalar in string.unicodeScalars.prefix(maximum) {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            default:
                // Control characters of either range would act on a terminal.
                if scalar.value < 0x20 || 0x7f..<0xa0 ~= scalar.value {
                    text += "\\u" + UInt16(scalar.value).hexadecimal
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
        return string.unicodeScalars.dropFirst(maximum).isEmpty
    }
}
