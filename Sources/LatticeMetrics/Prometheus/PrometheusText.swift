/// The text format of Prometheus, version 0.0.4.
enum PrometheusText {
    /// The type of the text for the header `Content-Type`.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns a name of a metric that Prometheus accepts: dots and other characters become underscores.
    static func name(_ name: String) -> String {
        let valid = String(String.UnicodeScalarView(name.unicodeScalars.map { isInName($0) || $0 == ":" ? $0 : "_" }))
        return valid.first.map { $0.isNumber } ?? true ? "_" + valid : valid
    }

    /// Returns the name of a family: the name of the metric with the suffixes for its unit and its type.
    static func familyName(_ label: String, unit: String, isCounter: Bool) -> String {
        var name = name(label)
        let suffixes = ["s": "_seconds", "By": "_bytes"]
        if let suffix = suffixes[unit], !name.hasSuffix(suffix) { name += suffix }
        return isCounter && !name.hasSuffix("_total") ? name + "_total" : name
    }

    /// Returns labels with their values, each as it stands between the braces.
    ///
    /// - Parameter reserved: The names that the lines of the family use themselves. Such a label, and one whose name is
    ///   that of a label before it, gets underscores.
    static func labels(_ dimensions: [(String, String)], reserved: Set<String> = []) -> [String] {
        var taken = reserved
        return dimensions.map { label, value in
            let valid = String.UnicodeScalarView(label.unicodeScalars.map { isInName($0) ? $0 : "_" })
            var name = valid.first.map { ("0"..."9").contains($0) } ?? true ? "_" + String(valid) : String(valid)
            while !taken.insert(name).inserted { name += "_" }
            return "\(name)=\"\(escaped(value, quotes: true))\""
        }
    }

    /// Adds the two lines that introduce a family.
    static func head(_ name: String, type: String, _ help: String, to text: inout String) {
        if !help.isEmpty { text += "# HELP \(name) \(escaped(help, quotes: false))\n" }
        text += "# TYPE \(name) \(type)\n"
    }

    /// Adds the line of a value.
    static func line(_ name: String, _ labels: String, _ value: Double, to text: inout String) {
        text += labels.isEmpty ? "\(name) \(number(value))\n" : "\(name){\(labels)} \(number(value))\n"
    }

    /// Returns a number, without a fraction if it is whole.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private static func isInName(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }

    private static func escaped(_ value: String, quotes: Bool) -> String {
        var text = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\"" where quotes: text += "\\\""
            default: text.unicodeScalars.append(character)
            }
        }
        return text
    }
}
