import Testing

/// The check of the documents can fail, and says where.
@Suite struct DocumentTests {
    private func block(_ text: String, info: String = "swift") -> CodeBlock {
        CodeBlock(file: "A.md", line: 3, info: info, lines: text.split(separator: "\n").map(String.init))
    }

    @Test func blocksKnowTheirLine() throws {
        let document = Document(
            file: "A.md",
            text: """
                # A

                ```swift
                let a = 1

                let b = 2
                ```
                ```
                $ ls
                ```
                """
        )
        #expect(
            try document.blocks() == [
                CodeBlock(file: "A.md", line: 3, info: "swift", lines: ["let a = 1", "", "let b = 2"]),
                CodeBlock(file: "A.md", line: 8, info: "", lines: ["$ ls"]),
            ]
        )
    }

    @Test func anOpenBlockIsAnError() {
        let document = Document(file: "A.md", text: "\n```swift\nlet a = 1\n")
        #expect(throws: DocumentError.open("A.md", 2)) { try document.blocks() }
        #expect(
            DocumentError.open("A.md", 2).description
                == "A.md:2: this block has no end; close it with three backticks"
        )
    }

    @Test(arguments: [
        ("let a = 1", true),
        ("let a = 1\nlet b = 2", true),
        ("if a == 1 {\n    f()\n}", true),
        ("f()", true),
        // Half a line, a line left out, a change, other indentation within, more than there is.
        ("= 1", false),
        ("let a = 1\nif a == 1 {", false),
        ("let a = 2", false),
        ("if a == 1 {\nf()\n}", false),
        ("}\n}\n}\n}", false),
    ])
    func aBlockStandsInASourceOrDoesNot(text: String, isThere: Bool) {
        let source = SourceText(
            """
            func g() {
                let a = 1
                let b = 2
                if a == 1 {
                    f()
                }
            }
            """
        )
        #expect(source.contains(block(text)) == isThere)
    }

    @Test func aChangeIsComparedByItsNewLines() {
        let source = SourceText("    try await f { a in\n        g(a)\n    }\n")
        #expect(source.contains(block("+try await f { a in\n-    g(b)\n     g(a)\n+}", info: "diff").changed))
        #expect(!source.contains(block("+try await f { a in\n     g(b)\n+}", info: "diff").changed))
    }

    @Test func programsAreComparedWithoutTheirAttribute() {
        let source = SourceText("struct P {\n    static func main() {}\n}\n")
        #expect(source.contains(block("@main struct P {\n    static func main() {}\n}").withoutMain))
        #expect(!source.contains(block("@main struct P {\n    static func main() {}\n}")))
    }

    @Test func emptyLinesHaveNoIndentation() {
        let source = SourceText("    let a = 1\n\n    let b = 2\n")
        let block = CodeBlock(file: "A.md", line: 1, info: "swift", lines: ["let a = 1", "", "let b = 2"])
        #expect(source.contains(block))
    }

    @Test func onlyLinksToFilesAreFound() {
        let document = Document(
            file: "A.md",
            text: "[b](B.md), [c](C.md#part), [web](https://swift.org)\n```\n[no](D.md)\n```\n[e](E/F.md)"
        )
        #expect(document.links().map { "\($0.line) \($0.target)" } == ["1 B.md", "1 C.md", "5 E/F.md"])
        #expect(!Repository.exists("Nothing.md", from: "README.md"))
        #expect(Repository.exists("LICENSE", from: "README.md"))
    }

    @Test func errorsNameTheirPlace() {
        #expect(
            DocumentError.notCompiled(block("let a = 1\nlet b = 2")).description == """
                A.md:3: this block is not compiled: 'let a = 1' and what follows stand in no file of \
                Tests/DocumentationTests/Snippets, Tests/LatticeMainActorTests or Examples. Change the one or the other \
                until they agree
                """
        )
        #expect(
            DocumentError.unknownFence(block("let a = 1", info: "Swift")).description
                == "A.md:3: no block is called 'Swift'; use swift, swift-error, diff, or nothing"
        )
        #expect(DocumentError.deadLink("A.md", 7, "B.md").description == "A.md:7: there is no 'B.md' to link to")
    }
}
