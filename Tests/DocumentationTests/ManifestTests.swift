import Testing

/// Checks that the `Package.swift` to copy names existing products, tools and platforms.
@Suite struct ManifestTests {
    private let shown: String
    private let own: String

    init() throws {
        let document = try #require(
            try Repository.documents().first { $0.file == "Sources/Lattice/Lattice.docc/GettingStarted.md" }
        )
        let block = try document.blocks().first { $0.lines.first?.hasPrefix("// swift-tools-version") == true }
        shown = try #require(block).lines.joined(separator: "\n")
        own = try Repository.text(of: "Package.swift")
    }

    private func names(_ pattern: Regex<(Substring, Substring)>, in text: String) -> Set<String> {
        Set(text.matches(of: pattern).map { String($0.1) })
    }

    @Test func itsProductsAreOurs() {
        let products = names(/\.product\(name: "(\w+)", package: "lattice"\)/, in: shown)
        #expect(products.count >= 4)
        #expect(products.isSubset(of: names(/\.library\(name: "(\w+)", targets/, in: own)))
        // Whatever package they say, the name of this one.
        #expect(shown.matches(of: /package: "/).count == shown.matches(of: /package: "lattice"/).count)
        #expect(own.contains("\n    name: \"lattice\",\n"))
    }

    @Test func itsToolsAndPlatformsAreOurs() {
        #expect(shown.prefix { $0 != "\n" } == own.prefix { $0 != "\n" })
        let platforms = names(/(\.\w+\(\.v\d+\))/, in: shown)
        #expect(!platforms.isEmpty)
        #expect(platforms.isSubset(of: names(/(\.\w+\(\.v\d+\))/, in: own)))
    }

    /// A file sees what it imports, and a target may import what it depends on.
    @Test func eachTargetDependsOnItsImports() throws {
        let text = try Repository.text(of: "Sources/Lattice/Lattice.docc/GettingStarted.md")
        #expect(text.contains("\nThe files of `MyFeatures` import `Lattice`;"))
        let targets = shown.split(separator: /\.(?:target|executableTarget|testTarget)\(/).dropFirst()
        let dependencies = targets.map { names(/\.product\(name: "(\w+)"/, in: String($0)) }
        #expect(
            dependencies == [
                ["Lattice"], ["LatticeCoordinator", "LatticeCore", "LatticeWorker"], ["Lattice", "LatticeTesting"],
            ]
        )
    }
}
