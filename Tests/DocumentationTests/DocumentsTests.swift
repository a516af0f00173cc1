import Testing

/// Checks that the code in the documents is compiled, and that their links lead to existing files.
@Suite struct DocumentsTests {
    @Test(arguments: try Repository.documents())
    func everySwiftBlockIsCompiled(document: Document) throws {
        let sources = try Repository.sources()
        for block in try document.blocks() {
            guard let fence = Fence(rawValue: block.info) else {
                Issue.record(DocumentError.unknownFence(block))
                continue
            }
            let code: CodeBlock
            switch fence {
            case .swift: code = block.withoutMain
            case .diff: code = block.changed.withoutMain
            case .swiftError, .plain: continue
            }
            if !sources.contains(where: { $0.contains(code) }) { Issue.record(DocumentError.notCompiled(block)) }
        }
    }

    @Test(arguments: try Repository.documents())
    func everyLinkLeadsSomewhere(document: Document) {
        for link in document.links() where !Repository.exists(link.target, from: document.file) {
            Issue.record(DocumentError.deadLink(document.file, link.line, link.target))
        }
    }

    /// Checks that documents are found, because the two tests above pass without any.
    @Test func thereAreDocuments() throws {
        let documents = try Repository.documents()
        for article in [
            "GettingStarted", "Emissions", "Composition", "Testing", "Isolation", "Observation", "Patches", "Time",
            "GettingStartedWithWorkers", "PlacementAndGroups", "SupervisionAndLimits", "OutcomesAndRecovery", "Clients",
            "QuestionsAndLargeStates", "ProcessesAndLogs", "LookingInside", "SendersAndPermission",
            "ViewStatesForViewers", "Troubleshooting", "Calls", "Streams",
            "Benchmarks", "MigrationFromEarlierLattice", "MigrationFromDesignDocuments", "MigrationFromTCA",
        ] {
            #expect(documents.contains { $0.file.hasSuffix(".docc/\(article).md") }, "no article \(article)")
        }
        for library in [
            "Lattice", "LatticeCollections", "LatticeCore", "LatticeTesting", "LatticeWorker", "LatticeCoordinator",
            "LatticeClient", "LatticeFaults", "LatticeActors", "LatticeControl",
        ] {
            #expect(documents.contains { $0.file == "Sources/\(library)/\(library).docc/\(library).md" })
        }
        for example in ["Checksums", "Counter", "Index", "Search", "Tally", "Todos"] {
            #expect(documents.contains { $0.file == "Examples/\(example)/README.md" })
        }
        #expect(documents.contains { !$0.links().isEmpty })
    }

    @Test func readmeIsShort() throws {
        let readme = try Repository.text(of: "README.md")
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
    }
}
