import Foundation

/// The report as one JSON object.
struct JSONOutput: Encodable {
    private struct File: Encodable {
        let path: String
        let pathHex: String?
        let lines: UInt64
        let words: UInt64
        let bytes: UInt64
    }

    private struct Failure: Encodable {
        let path: String
        let pathHex: String?
        let reason: String
    }

    private struct Total: Encodable {
        let files: Int
        let lines: UInt64
        let words: UInt64
        let bytes: UInt64
    }

    private struct Extension: Encodable {
        let `extension`: String
        let files: Int
        let lines: UInt64
        let words: UInt64
        let bytes: UInt64
    }

    private let root: String
    private let files: [File]
    private let failures: [Failure]
    private let total: Total
    private let extensions: [Extension]
    private let incarnations: Int

    init(_ report: Report) {
        root = report.root
        files = report.files.map { file in
            File(
                path: PathText.text(file.path),
                pathHex: PathText.hexIfNeeded(file.path),
                lines: file.lines,
                words: file.words,
                bytes: file.bytes
            )
        }
        failures = report.failures.map { failure in
            Failure(
                path: failure.path.isEmpty ? "." : PathText.text(failure.path),
                pathHex: PathText.hexIfNeeded(failure.path),
                reason: failure.reason
            )
        }
        let sum = report.total
        total = Total(files: sum.files, lines: sum.lines, words: sum.words, bytes: sum.bytes)
        extensions = report.extensions.map { name, total in
            Extension(
                extension: PathText.text(name),
                files: total.files,
                lines: total.lines,
                words: total.words,
                bytes: total.bytes
            )
        }
        incarnations = report.incarnations
    }

    func write(to output: inout some TextOutputStream) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        output.write(String(decoding: try encoder.encode(self), as: UTF8.self) + "\n")
    }
}
