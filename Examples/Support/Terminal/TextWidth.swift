/// Functions for the number of columns that text takes on a terminal.
package enum TextWidth {
    /// The scalars that take two columns: East Asian scripts and pictographs.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
        0x20000...0x3FFFD,
    ]
    private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"

    /// Returns the number of columns that a text takes.
    package static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Returns the text, or a prefix of it with `…` that fits.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard self.columns(of: text) > columns else { return text }
        guard columns > 0 else { return "" }
        return prefix(of: text, columns: columns - 1) + "…"
    }

    /// Returns the longest suffix of the text that fits.
    package static func end(of text: String, columns: Int) -> String {
        var room = columns
        let rest = text.reversed().prefix { character in
            room -= self.columns(of: character)
            return room >= 0
        }
        return String(rest.reversed())
    }

    private static func prefix(of text: String, columns: Int) -> String {
        var room = columns
        return String(
            text.prefix { character in
                room -= self.columns(of: character)
                return room >= 0
            }
        )
    }

    private static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if scalars.contains(emojiSelector) { return 2 }
        return scalars.reduce(0) { max($0, columns(of: $1)) }
    }

    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }
}
