import ExampleSupport

/// The report as a table.
struct TableOutput {
    private let report: Report
    private let widths: [Int]

    init(_ report: Report) {
        self.report = report
        let total = report.total
        // The totals are the widest numbers of their columns.
        widths = zip([total.lines, total.words, total.bytes], ["lines", "words", "bytes"]).map { number, title in
            max(String(number).utf8.count, title.utf8.count)
        }
    }

    func write(to output: inout some TextOutputStream) {
        output.write(row(["lines", "words", "bytes"], "path"))
        for file in report.files {
            output.write(row(file.lines, file.words, file.bytes, PathText.display(file.path)))
        }
        output.write(row(report.total, "total (\(Self.files(report.total.files)))"))
        if !report.extensions.isEmpty {
            output.write("\n" + row(["lines", "words", "bytes"], "extension"))
            for (name, total) in report.extensions {
                let shown = name.isEmpty ? "(none)" : "." + PathText.display(name)
                output.write(row(total, "\(shown) (\(Self.files(total.files)))"))
            }
        }
        if !report.failures.isEmpty {
            output.write("\nnot counted (\(Self.files(report.failures.count))):\n")
            for failure in report.failures {
                output.write("  \(PathText.display(failure.path)): \(failure.reason)\n")
            }
        }
    }

    private static func files(_ count: Int) -> String { count == 1 ? "1 file" : "\(count) files" }

    private func row(_ total: Report.Total, _ label: String) -> String {
        row(total.lines, total.words, total.bytes, label)
    }

    private func row(_ lines: UInt64, _ words: UInt64, _ bytes: UInt64, _ label: String) -> String {
        row([String(lines), String(words), String(bytes)], label)
    }

    private func row(_ cells: [String], _ label: String) -> String {
        var line = ""
        for (cell, width) in zip(cells, widths) {
            line += String(repeating: " ", count: width - cell.utf8.count) + cell + "  "
        }
        return line + label + "\n"
    }
}
