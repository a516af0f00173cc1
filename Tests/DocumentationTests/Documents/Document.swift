/// A Markdown document.
struct Document: CustomStringConvertible, Sendable {
    /// The path from the root of the package.
    let file: String
    private let lines: [Substring]

    init(file: String, text: String) {
        self.file = file
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    var description: String { file }

    /// The fenced blocks, in order.
    /// - Throws: `DocumentError` for a block without an end.
    func blocks() throws(DocumentError) -> [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: (line: Int, info: String, content: [String])?
        for (index, line) in lines.enumerated() {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if let block = open {
                if isFence {
                    blocks.append(CodeBlock(file: file, line: block.line, info: block.info, lines: block.content))
                    open = nil
                } else {
                    open?.content.append(String(line))
                }
            } else if isFence {
                let info = line.drop { $0 == " " || $0 == "`" }
                open = (index + 1, String(info), [])
            }
        }
        if let open { throw .open(file, open.line) }
        return blocks
    }

    /// The targets of links to files, outside blocks, with their lines; without what follows a `#`.
    func links() -> [(line: Int, target: String)] {
        var links: [(line: Int, target: String)] = []
        var isInBlock = false
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("```") { isInBlock.toggle() }
            guard !isInBlock else { continue }
            for match in line.matches(of: /\]\(([^)#\s]+)[^)]*\)/) where !match.1.contains("://") {
                links.append((index + 1, String(match.1)))
            }
        }
        return links
    }
}
