/// The text of a settings file, divided into assignments.
///
/// ```
/// # a comment
/// logLevel = debug
///
/// [group thumbnails]
/// limits.memoryBytes = 512 MiB
/// ```
struct SettingsText {
    /// A line of the form `key = value`.
    struct Assignment: Equatable {
        /// The name of the group that the line belongs to, or nil for the coordinator.
        let group: String?
        let key: String
        let value: String
        /// The number of the line, from 1 on.
        let line: Int
    }

    /// A line that is neither empty, a comment, an assignment nor the head of a section.
    struct Fault: Equatable {
        let line: Int
        let sentence: String
    }

    private(set) var assignments: [Assignment] = []
    private(set) var faults: [Fault] = []

    init(_ text: String) {
        var group: String?
        // CRLF is one character, so both kinds of line ends are found.
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            let (number, line) = (index + 1, line.trimmed)
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("[") {
                group = section(line, number) ?? group
            } else if let (key, value) = Self.assignment(line) {
                assignments.append(Assignment(group: group, key: key, value: value, line: number))
            } else {
                fault(number, "\(line.quoted) is no setting. Write KEY = VALUE, [group NAME], or a comment after #.")
            }
        }
    }

    private mutating func section(_ line: Substring, _ number: Int) -> String? {
        if line.hasSuffix("]") {
            let words = line.dropFirst().dropLast().split(maxSplits: 1) { $0 == " " || $0 == "\t" }
            if words.count == 2, words[0] == "group" { return String(words[1].trimmed) }
        }
        fault(number, "\(line.quoted) is no section. Write [group NAME], with the name of a group of workers.")
        return nil
    }

    private static func assignment(_ line: Substring) -> (key: String, value: String)? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let key = line[..<equals].trimmed
        return key.isEmpty ? nil : (String(key), String(line[line.index(after: equals)...].trimmed))
    }

    private mutating func fault(_ line: Int, _ sentence: String) {
        faults.append(Fault(line: line, sentence: sentence))
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }

    /// The text in quotation marks, cut if it is long.
    fileprivate var quoted: String { (count > 60 ? prefix(60) + "…" : self).debugDescription }
}
