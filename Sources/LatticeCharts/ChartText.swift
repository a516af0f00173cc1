/// Texts of a chart: their width, their lines, and numbers.
enum ChartText {
    /// The assumed width of a character at 14 px, in pixels. The pictures do not know which font shows them, so this is
    /// the average width in a wide font.
    static let characterWidth = 8.0
    /// The assumed width of a character with heavier strokes.
    static let heavyCharacterWidth = 9.5

    /// Returns the assumed width of a text, in pixels.
    static func width(of text: String, isHeavy: Bool = false) -> Double {
        Double(text.count) * (isHeavy ? heavyCharacterWidth : characterWidth)
    }

    /// Divides a text into lines of at most `limit` characters. Lines end at spaces, except in words that are longer
    /// than a line.
    static func lines(_ text: String, limit: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty || line.count + 1 + word.count > limit {
                if !line.isEmpty { lines.append(line) }
                line = String(word)
            } else {
                line += " " + word
            }
            while line.count > limit {
                lines.append(String(line.prefix(limit)))
                line.removeFirst(limit)
            }
        }
        return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
    }

    /// Returns a number with the digits that a reader of a chart needs: no decimals from 1,000 on, one from 1 on, and
    /// three below. Zeros at the end are left out, and thousands are separated by commas.
    static func number(_ value: Double) -> String {
        guard value != 0 else { return "0" }
        guard (0.001..<1e15).contains(value.magnitude) else { return "\(value)" }
        let decimals = value.magnitude >= 1000 ? 0 : value.magnitude >= 1 ? 1 : 3
        let factor = (0..<decimals).reduce(1) { factor, _ in factor * 10 }
        let scaled = Int((value.magnitude * Double(factor)).rounded())
        let whole = grouped(scaled / factor)
        let digits = String(scaled % factor)
        let padded = String(repeating: "0", count: max(0, decimals - digits.count)) + digits
        let fraction = decimals == 0 ? "" : padded.trimmingZeros()
        return (value < 0 ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// Returns a text with the characters replaced that XML reserves or does not allow.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func grouped(_ number: Int) -> String {
        var digits = String(number)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return ([digits] + groups).joined(separator: ",")
    }
}

extension String {
    /// Returns the text without the zeros at its end.
    fileprivate func trimmingZeros() -> String {
        var text = self
        while text.last == "0" { text.removeLast() }
        return text
    }
}
