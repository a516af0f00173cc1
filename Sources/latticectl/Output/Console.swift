@preconcurrency import Glibc

/// Standard output and error, a line at a time.
enum Console {
    /// A line for people, on standard error.
    static func say(_ line: String) { fputs(line + "\n", stderr) }

    /// A line of the result. Written at once, so that a reader of a pipe sees it as soon as it is there.
    static func put(_ line: String) {
        print(line)
        fflush(stdout)
    }

    /// Rows in columns, as many in each as in the first: the first one to the left, numbers to the right.
    static func put(table rows: [[String]]) {
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
