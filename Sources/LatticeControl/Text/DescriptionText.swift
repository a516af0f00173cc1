/// A page of a section as text for people.
package struct DescriptionText {
    /// The maximum number of characters of a line, or nil for no maximum.
    package var width: Int?
    /// A Boolean value that indicates whether each row is shown with all of its fields, one in a line.
    package var isFull = false
    /// Emphasises a heading. By default it changes nothing.
    package var heading: (String) -> String = { $0 }

    /// Creates the settings of a text.
    package init(width: Int?) {
        self.width = width
    }

    /// Returns the lines for a page. A list is a table. The only row of a section, and each row of a full text, is
    /// shown with all of its fields.
    package func lines(for page: SectionDescription) -> [String] {
        var lines: [String] = []
        if page.rows.isEmpty {
            lines.append("Nothing to show.")
        } else if isFull || (page.section == "coordinator" && page.total == 1) {
            for (index, row) in page.rows.enumerated() {
                if index > 0 { lines.append("") }
                lines += fields(of: row, indent: 0)
            }
        } else {
            lines += table(page)
        }
        return lines + note(page)
    }

    /// Returns the lines for one row with all of its fields.
    func lines(for row: [String: DescriptionValue]) -> [String] { fields(of: row, indent: 0) }

    private func table(_ page: SectionDescription) -> [String] {
        // Nested lists and maps do not fit into a cell.
        let nested = page.rows.flatMap { row in row.filter { $0.value.isNested }.map(\.key) }
        let columns = Self.columns[page.section] ?? []
        let (lines, leftOut) = TextTable(page.rows, preferring: columns, hiding: Set(nested)).lines(width: width)
        let hidden = (leftOut + Set(nested).subtracting(leftOut)).sorted()
        guard let first = lines.first else { return [] }
        let note =
            hidden.isEmpty ? [] : wrapped("Use --full to see also: \(hidden.joined(separator: ", ")).", indent: 0)
        return [heading(first)] + lines.dropFirst() + note
    }

    private func note(_ page: SectionDescription) -> [String] {
        let after = page.offset + page.rows.count
        guard page.cut != nil || page.offset > 0 else { return [] }
        let range = page.rows.isEmpty ? "none" : "\(page.offset + 1) to \(after)"
        guard let cut = page.cut else { return wrapped("Shown: \(range) of \(page.total).", indent: 0) }
        let reason = cut == .size ? "The answer would be too large. " : ""
        return wrapped("Shown: \(range) of \(page.total). \(reason)Use --offset \(after) to see more.", indent: 0)
    }

    // MARK: Fields

    private func fields(of row: [String: DescriptionValue], indent: Int) -> [String] {
        let keys = row.keys.sorted {
            (row[$0]?.isNested ?? false ? 1 : 0, $0) < (row[$1]?.isNested ?? false ? 1 : 0, $1)
        }
        let names = keys.filter { !(row[$0]?.isNested ?? false) }
        let width = names.map { DescriptionValue.printable($0).count }.max() ?? 0
        let space = String(repeating: " ", count: indent)
        return keys.flatMap { key -> [String] in
            let value = row[key] ?? .null
            let name = DescriptionValue.printable(key)
            guard value.isNested else {
                let padding = String(repeating: " ", count: width - name.count)
                return wrapped("\(space)\(name)\(padding)  \(value.text(for: key))", indent: indent + width + 2)
            }
            return ["\(space)\(name):"] + nested(value, indent: indent + 2)
        }
    }

    private func nested(_ value: DescriptionValue, indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        switch value {
        case .map(let entries): return fields(of: entries, indent: indent)
        case .array(let elements):
            let maps = elements.compactMap(\.entries)
            guard maps.count == elements.count else {
                return elements.flatMap { element in
                    element.isNested
                        ? nested(element, indent: indent) : wrapped(space + element.text(for: ""), indent: indent)
                }
            }
            let table = TextTable(maps, preferring: Self.nestedColumns).lines(width: width.map { max(20, $0 - indent) })
            guard table.leftOut.isEmpty, let first = table.lines.first else {
                return maps.enumerated().flatMap { index, map in
                    (index > 0 ? [""] : []) + fields(of: map, indent: indent)
                }
            }
            return [space + heading(first)] + table.lines.dropFirst().map { space + $0 }
        default: return [space + value.text(for: "")]
        }
    }

    /// Breaks a line between words, or inside a word that is too long.
    private func wrapped(_ text: String, indent: Int) -> [String] {
        guard let width, text.count > width, width > indent + 8 else { return [text] }
        var (lines, rest) = ([String](), Substring(text))
        while rest.count > width {
            let end = rest.index(rest.startIndex, offsetBy: width)
            let first = rest.index(rest.startIndex, offsetBy: indent)
            let space = rest[first...end].lastIndex(of: " ")
            let stop = space.flatMap { rest[first..<$0].allSatisfy { $0 == " " } ? nil : $0 } ?? end
            lines.append(String(rest[..<stop]))
            rest = Substring(String(repeating: " ", count: indent) + rest[stop...].drop { $0 == " " })
        }
        return lines + [String(rest)]
    }
}

extension DescriptionText {
    private typealias Column = TextTable.Column

    /// The columns of the sections that this version knows, the most important ones first.
    private static let columns: [String: [TextTable.Column]] = [
        "": [Column("section", "SECTION"), Column("rows", "ROWS"), Column("about", "ABOUT")],
        "workers": [
            Column("worker", "WORKER"), Column("state", "STATE"), Column("processID", "PID"),
            Column("sinceMilliseconds", "SINCE"), Column("restarts", "RESTARTS"), Column("cpuMilliseconds", "CPU"),
            Column("residentBytes", "MEMORY"), Column("openFiles", "FILES"),
        ],
        "groups": [
            Column("group", "GROUP"), Column("placement", "PLACEMENT"), Column("workers", "WORKERS"),
            Column("maximumWorkers", "MAXIMUM"), Column("features", "FEATURES"), Column("restart", "RESTART"),
        ],
        "terminations": [
            Column("worker", "WORKER"), Column("agoMilliseconds", "AGO"), Column("incarnation", "INCARNATION"),
            Column("cause", "CAUSE"), Column("then", "THEN"), Column("delayMilliseconds", "DELAY"),
            Column("lifetimeMilliseconds", "LIFETIME"),
        ],
        "instances": [
            Column("feature", "FEATURE"), Column("instance", "INSTANCE"), Column("status", "STATUS"),
            Column("revision", "REVISION"), Column("stateBytes", "SIZE"), Column("waiting", "WAITING"),
            Column("running", "RUNNING"), Column("subscribers", "SUBSCRIBERS"), Column("viewBytes", "VIEW"),
            Column("worker", "WORKER"),
        ],
        "events": [
            Column("feature", "FEATURE"), Column("instance", "INSTANCE"), Column("phase", "PHASE"),
            Column("ageMilliseconds", "AGE"), Column("processID", "PID"), Column("deadlineMilliseconds", "DEADLINE"),
            Column("event", "EVENT", keepsEnd: true),
        ],
        "actors": [
            Column("name", "NAME"), Column("process", "PROCESS"), Column("actor", "ACTOR"), Column("found", "FOUND"),
        ],
        "calls": [
            Column("process", "PROCESS"), Column("received", "RECEIVED"), Column("made", "MADE"),
            Column("unansweredMilliseconds", "UNANSWERED"),
        ],
        "clients": [
            Column("processID", "PID"), Column("state", "STATE"), Column("connectedMilliseconds", "CONNECTED"),
            Column("channels", "CHANNELS"), Column("running", "RUNNING"), Column("program", "PROGRAM", keepsEnd: true),
        ],
        "tools": [
            Column("processID", "PID"), Column("connectedMilliseconds", "CONNECTED"),
            Column("program", "PROGRAM", keepsEnd: true),
        ],
        "quarantine": [
            Column("id", "ID"), Column("feature", "FEATURE"), Column("instance", "INSTANCE"),
            Column("incarnations", "INCARNATIONS"), Column("cause", "CAUSE"), Column("event", "EVENT", keepsEnd: true),
        ],
    ]

    /// The columns of tables inside a row.
    private static let nestedColumns = [
        Column("limit", "LIMIT"), Column("used", "USED"), Column("maximum", "MAXIMUM"),
        Column("agoMilliseconds", "AGO"),
        Column("incarnation", "INCARNATION"), Column("cause", "CAUSE"), Column("feature", "FEATURE"),
        Column("instance", "INSTANCE"),
    ]
}

extension DescriptionValue {
    /// A Boolean value that indicates whether the value takes lines of its own: a map, an array of maps, or several
    /// texts that may be long.
    fileprivate var isNested: Bool {
        switch self {
        case .map(let entries): !entries.isEmpty
        case .array(let elements): elements.contains { $0.isNested || ($0.string?.count ?? 0) > 32 }
        default: false
        }
    }
}
