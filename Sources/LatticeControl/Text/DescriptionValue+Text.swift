import LatticeCoding
import LatticeWire

extension DescriptionValue {
    /// Returns the value as text for people, in one line.
    ///
    /// - Parameter key: The key of the value, whose end says which unit a number has.
    package func text(for key: String) -> String {
        switch self {
        case .null: return "-"
        case .bool(let bool): return bool ? "yes" : "no"
        case .integer(let number):
            if key.hasSuffix("Milliseconds") { return Self.duration(milliseconds: number) }
            return key.hasSuffix("Bytes") ? Self.size(bytes: number) : "\(number)"
        case .float(let number):
            return key.hasSuffix("Milliseconds") ? Self.duration(milliseconds: number) : "\(number)"
        case .text(let text): return text.isEmpty ? "\"\"" : Self.printable(text)
        case .bytes(let bytes): return bytes.isEmpty ? "-" : bytes.hexadecimal
        case .array(let elements):
            return elements.isEmpty ? "-" : elements.map { $0.text(for: key) }.joined(separator: ", ")
        case .map(let entries):
            let sorted = entries.sorted { $0.key < $1.key }
            return "{" + sorted.map { "\($0.key): \($0.value.text(for: $0.key))" }.joined(separator: ", ") + "}"
        }
    }

    /// A Boolean value that indicates whether the value is a number, which a table aligns to the right.
    package var isNumber: Bool {
        switch self {
        case .integer, .float: true
        default: false
        }
    }

    /// Returns a text whose characters do not act on a terminal. Those that would are written by their numbers.
    package static func printable(_ text: String) -> String {
        var printable = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                printable += "\\u{\(String(scalar.value, radix: 16))}"
            default: printable.unicodeScalars.append(scalar)
            }
        }
        return printable
    }

    /// Returns a duration with its two largest units, such as "2 d 3 h" or "1.5 s".
    static func duration(milliseconds: Int128) -> String {
        guard milliseconds >= 0 else { return "-" + duration(milliseconds: -milliseconds) }
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let seconds = milliseconds / 1000
        guard seconds >= 60 else { return "\(seconds).\(milliseconds % 1000 / 100) s" }
        let units: [(Int128, String)] = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")]
        let first = units.firstIndex { seconds >= $0.0 } ?? 3
        let rest = seconds % units[first].0 / units[first + 1].0
        return "\(seconds / units[first].0) \(units[first].1)" + (rest == 0 ? "" : " \(rest) \(units[first + 1].1)")
    }

    /// Returns a duration that may be shorter than a millisecond, with three digits at most: "850 µs" or "4.2 ms". What
    /// is no duration, or is too long for a clock, is "-".
    static func duration(milliseconds: Double) -> String {
        guard 0..<1000 ~= milliseconds else {
            // A coordinator may send any number, and the negative of the least integer would not fit.
            guard milliseconds.magnitude < 1e18 else { return "-" }
            return duration(milliseconds: Int128(milliseconds.rounded()))
        }
        let microseconds = Int((milliseconds * 1000).rounded())
        if microseconds < 1000 { return "\(microseconds) µs" }
        let tenths = (microseconds + 50) / 100
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) ms" : "\((tenths + 5) / 10) ms"
    }

    /// Returns a size with a binary unit, such as "12.3 MiB".
    static func size(bytes: Int128) -> String {
        guard bytes >= 1024 else { return "\(bytes) B" }
        var (tenths, unit) = (bytes * 10 / 1024, 0)
        let units = ["KiB", "MiB", "GiB", "TiB"]
        while tenths >= 10_240, unit + 1 < units.count {
            tenths /= 1024
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
