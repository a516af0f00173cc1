/// Rows as columns of text that fit a width.
///
/// Columns are given in the order of their importance. Those that do not fit are left out and named, except the first
/// one. If one column is left that is too wide, its cells are cut.
package struct TextTable {
    /// A column of a table.
    package struct Column {
        /// The key of its values.
        package let key: String
        /// The heading.
        package let title: String
        /// A Boolean value that indicates whether a cell that is too wide loses its beginning instead of its end, as is
        /// best for paths.
        package let keepsEnd: Bool

        /// Creates a column.
        package init(_ key: String, _ title: String, keepsEnd: Bool = false) {
            self.key = key
            self.title = title
            self.keepsEnd = keepsEnd
        }
    }

    /// The number of spaces between two columns.
    private static let gap = 2
    /// The number of characters below which no cell is cut.
    private static let minimumCut = 8

    private let rows: [[String: DescriptionValue]]
    private let columns: [Column]

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - preferred: The columns that are known, the most important ones first. Columns without a value are left out.
    ///   - hidden: The keys that are never shown in a table.
    package init(_ rows: [[String: DescriptionValue]], preferring preferred: [Column], hiding hidden: Set<String> = [])
    {
        self.rows = rows
        let keys = Set(rows.flatMap(\.keys)).subtracting(hidden)
        let known = preferred.filter { keys.contains($0.key) }
        // What this version does not know comes last, and is shown if there is room.
        let unknown = keys.subtracting(known.map(\.key)).sorted()
        columns = known + unknown.map { Column($0, Self.title(of: $0)) }
    }

    /// Returns a heading for a key: `residentBytes` is RESIDENT.
    package static func title(of key: String) -> String {
        var name = Substring(key)
        for unit in ["Milliseconds", "Bytes"] where name.hasSuffix(unit) && name.count > unit.count {
            name = name.dropLast(unit.count)
        }
        return String(DescriptionValue.printable(String(name)).uppercased())
    }

    /// Returns the lines of the table, and the keys of the columns that are left out.
    ///
    /// - Parameter width: The maximum number of characters of a line, or nil for no maximum.
    package func lines(width: Int?) -> (lines: [String], leftOut: [String]) {
        guard !columns.isEmpty else { return ([], []) }
        var cells = columns.map { column in
            [column.title] + rows.map { ($0[column.key] ?? .null).text(for: column.key) }
        }
        var shown = Array(columns.indices)
        var widths = cells.map { $0.map(\.count).max() ?? 0 }
        if let width {
            shown = fitting(&widths, in: width)
            for column in shown {
                cells[column] = cells[column].map { cut($0, to: widths[column], keepsEnd: columns[column].keepsEnd) }
            }
        }
        let lines = (0...rows.count).map { row in
            let line = shown.map { column in
                pad(cells[column][row], to: widths[column], right: isNumeric(columns[column].key))
            }
            return trimmed(line.joined(separator: String(repeating: " ", count: Self.gap)))
        }
        return (lines, columns.indices.filter { !shown.contains($0) }.map { columns[$0].key })
    }

    /// Returns the columns that fit, and reduces the widths of those that are cut.
    private func fitting(_ widths: inout [Int], in width: Int) -> [Int] {
        var shown: [Int] = []
        var left = width
        for column in columns.indices {
            let gap = shown.isEmpty ? 0 : Self.gap
            if widths[column] + gap <= left {
                shown.append(column)
                left -= widths[column] + gap
            } else if !isNumeric(columns[column].key), left - gap >= max(Self.minimumCut, columns[column].title.count) {
                widths[column] = left - gap
                shown.append(column)
                break
            } else if shown.isEmpty {
                widths[column] = left
                shown.append(column)
                break
            }
        }
        return shown
    }

    private func isNumeric(_ key: String) -> Bool {
        let values = rows.compactMap { $0[key] }
        return values.contains(where: \.isNumber) && values.allSatisfy { $0.isNumber || $0 == .null }
    }

    private func cut(_ text: String, to width: Int, keepsEnd: Bool) -> String {
        guard text.count > width, width > 0 else { return text }
        return keepsEnd ? "…" + text.suffix(width - 1) : text.prefix(width - 1) + "…"
    }

    private func pad(_ text: String, to width: Int, right: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, width - text.count))
        return right ? padding + text : text + padding
    }

    private func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
