/// A text in the format of Prometheus, read strictly.
struct ScrapedText {
    /// The values of all lines, by the name with its labels.
    private(set) var values: [String: Double] = [:]
    /// The types of the families.
    private(set) var types: [String: String] = [:]
    /// What is wrong with the text.
    private(set) var problems: [String] = []

    init(_ text: String) {
        if !text.hasSuffix("\n") { problems.append("The last line does not end.") }
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) { read(line) }
    }

    private mutating func read(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 3)
        if line.hasPrefix("# TYPE ") {
            guard words.count == 4, types[String(words[2])] == nil else { return problems.append("type: \(line)") }
            types[String(words[2])] = String(words[3])
        } else if line.hasPrefix("# HELP ") {
            if words.count != 4 { problems.append("help: \(line)") }
        } else {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                return problems.append("value: \(line)")
            }
            let series = String(line[..<space])
            guard series.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="[^"]*",?)+\})?/) != nil
            else {
                return problems.append("series: \(line)")
            }
            let family = String(series.prefix { $0 != "{" })
            let suffixes = ["", "_bucket", "_sum", "_count"]
            let isTyped = suffixes.contains { family.hasSuffix($0) && types[String(family.dropLast($0.count))] != nil }
            if !isTyped { problems.append("no type: \(line)") }
            if values.updateValue(value, forKey: series) != nil { problems.append("twice: \(line)") }
        }
    }

    subscript(series: String) -> Double? { values[series] }
}
