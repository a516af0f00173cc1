@preconcurrency import Glibc

/// Prints lines to standard output and standard error.
package enum Console {
    /// Prints a message for the user to standard error.
    package static func say(_ line: String) { fputs(line + "\n", stderr) }

    /// Prints a line of the result to standard output. It is flushed immediately, so that the reader of a pipe sees it.
    package static func put(_ line: String) {
        print(line)
        fflush(stdout)
    }

    /// Prints rows as columns. The first column is aligned to the left, and the others to the right. Each row has as
    /// many cells as the first one.
    package static func put(table rows: [[String]]) {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = zip(row, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }
            put(cells.joined(separator: "  "))
        }
    }
}
