import ExampleSupport
import Foundation

/// The report as a JSON object whose members are sorted by name.
struct JSONOutput {
    private struct File: Encodable {
        let path: String
        let pathHex: String?
        let lines: UInt64
        let words: UInt64
        let bytes: UInt64

        init(_ file: FileCount) {
            path = PathText.text(file.path)
            pathHex = PathText.hexIfNeeded(file.path)
            (lines, words, bytes) = (file.lines, file.words, file.bytes)
        }
    }

    private struct Failure: Encodable {
        let path: String
        let pathHex: String?
        let reason: String

        init(_ failure: TallyState.Failure) {
            path = failure.path.isEmpty ? "." : PathText.text(failure.path)
            pathHex = PathText.hexIfNeeded(failure.path)
            reason = failure.reason
        }
    }

    private struct Total: Encodable {
        let `extension`: String?
        let files: Int
        let lines: UInt64
        let words: UInt64
        let bytes: UInt64

        init(_ total: Report.Total, of name: [UInt8]? = nil) {
            self.extension = name.map(PathText.text)
            (files, lines, words, bytes) = (total.files, total.lines, total.words, total.bytes)
        }
    }

    /// The number of files that are encoded at a time. Encoding all of them at once would take several times their
    /// size.
    private static let batch = 256

    private let report: Report
    private let encoder = JSONEncoder()

    init(_ report: Report) {
        self.report = report
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    func write(to output: inout some TextOutputStream) throws {
        output.write("{\"extensions\":" + (try text(report.extensions.map { Total($0.total, of: $0.name) })))
        output.write(",\"failures\":" + (try text(report.failures.map(Failure.init))))
        output.write(",\"files\":[")
        var isFirst = true
        var batch: [File] = []
        for file in report.files {
            batch.append(File(file))
            if batch.count == Self.batch { try write(&batch, &isFirst, to: &output) }
        }
        try write(&batch, &isFirst, to: &output)
        output.write("],\"incarnations\":\(report.incarnations)")
        output.write(",\"root\":" + (try text(report.root)))
        output.write(",\"total\":" + (try text(Total(report.total))) + "}\n")
    }

    private func write(_ batch: inout [File], _ isFirst: inout Bool, to output: inout some TextOutputStream) throws {
        guard !batch.isEmpty else { return }
        if !isFirst { output.write(",") }
        // The brackets of the array are removed.
        output.write(String(try text(batch).dropFirst().dropLast()))
        isFirst = false
        batch = []
    }

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
