/// The lines of a source file, to look for blocks in.
struct SourceText: Sendable {
    private let lines: [Substring]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Whether the block stands in the file, line by line, all of it moved to the right by the same space.
    func contains(_ block: CodeBlock) -> Bool {
        let block = block.lines.map { $0.allSatisfy(\.isWhitespace) ? "" : $0 }
        guard let first = block.first, block.count <= lines.count else { return false }
        return lines.indices.dropLast(block.count - 1).contains { start in
            let line = lines[start]
            guard line.hasSuffix(first) else { return false }
            let margin = line.dropLast(first.count)
            guard margin.allSatisfy({ $0 == " " }) else { return false }
            return zip(block, lines[start...]).allSatisfy { expected, line in
                line == (expected.isEmpty ? "" : margin + expected)
            }
        }
    }
}
