/// A fenced block of a document.
struct CodeBlock: Equatable, CustomStringConvertible {
    /// The document, from the root of the package.
    let file: String
    /// The line of the fence that opens it, counted from 1.
    let line: Int
    /// The language after the opening fence, such as "swift".
    let info: String
    let lines: [String]

    var description: String { "\(file):\(line)" }

    /// The code after the change that this block shows: without the lines that begin with a minus, and without the
    /// first column of the others.
    var changed: CodeBlock {
        CodeBlock(
            file: file,
            line: line,
            info: info,
            lines: lines.filter { !$0.hasPrefix("-") }.map { String($0.dropFirst()) }
        )
    }

    /// The code without the attribute `@main`, which no type of a test target can have.
    var withoutMain: CodeBlock {
        let lines = lines.map { $0.hasPrefix("@main ") ? String($0.dropFirst("@main ".count)) : $0 }
        return CodeBlock(file: file, line: line, info: info, lines: lines)
    }
}

/// An error in the code blocks of a document.
struct DocumentError: Error, Equatable, CustomStringConvertible {
    let description: String

    static func open(_ file: String, _ line: Int) -> Self {
        Self(description: "\(file):\(line): this block has no end; close it with three backticks")
    }

    static func unknownFence(_ block: CodeBlock) -> Self {
        Self(description: "\(block): no block is called '\(block.info)'; use swift, swift-error, diff, or nothing")
    }

    static func notCompiled(_ block: CodeBlock) -> Self {
        let first = block.lines.first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        return Self(
            description: """
                \(block): this block is not compiled: '\(first)' and what follows stand in no file of \
                Tests/DocumentationTests/Snippets, Tests/LatticeMainActorTests or Examples. Change the one or the other \
                until they agree
                """
        )
    }

    static func deadLink(_ file: String, _ line: Int, _ target: String) -> Self {
        Self(description: "\(file):\(line): there is no '\(target)' to link to")
    }
}
