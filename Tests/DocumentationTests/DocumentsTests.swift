import Testing

/// What the documents show is compiled, and what they link to exists.
@Suite struct DocumentsTests {
    @Test(arguments: try Repository.documents())
    func everySwiftBlockIsCompiled(document: Document) throws {
        let sources = try Repository.sources()
        for block in try document.blocks() {
            guard let fence = Fence(rawValue: block.info) else {
                Issue.record(DocumentError.unknownFence(block))
                continue
            }
            guard case .swift = fence else { continue }
            if !sources.contains(where: { $0.contains(block) }) { Issue.record(DocumentError.notCompiled(block)) }
        }
    }

    @Test(arguments: try Repository.documents())
    func everyLinkLeadsSomewhere(document: Document) {
        for link in document.links() where !Repository.exists(link.target, from: document.file) {
            Issue.record(DocumentError.deadLink(document.file, link.line, link.target))
        }
    }

    /// So that the two tests above have something to look at.
    @Test func thereAreDocuments() throws {
        let documents = try Repository.documents()
        for article in [
            "GettingStarted", "Emissions", "Composition", "Testing", "Isolation", "Observation", "Patches", "Time",
            "OutOfProcess", "Calls", "Streams",
            "MigrationFromEarlierLattice", "MigrationFromDesignDocuments", "MigrationFromTCA",
        ] {
            #expect(documents.contains { $0.file.hasSuffix(".docc/\(article).md") }, "no article \(article)")
        }
        for library in [
            "Lattice", "LatticeCore", "LatticeTesting", "LatticeWorker", "LatticeCoordinator", "LatticeClient",
            "LatticeFaults", "LatticeActors",
        ] {
            #expect(documents.contains { $0.file == "Sources/\(library)/\(library).docc/\(library).md" })
        }
        #expect(documents.contains { !$0.links().isEmpty })
    }

    @Test func readmeShowsTheWholeCounter() throws {
        let blocks = try #require(try Repository.documents().first { $0.file == "README.md" }).blocks()
        let source = try Repository.text(of: "Examples/Counter/Counter.swift")
        #expect(blocks.contains { $0.lines.joined(separator: "\n") + "\n" == source })
    }
}
