import Foundation
import Testing

/// The package manager understands the `Package.swift` that the documents show.
@Suite(.timeLimit(.minutes(10))) struct ManifestTests {
    @Test func theManifestToCopyIsOne() async throws {
        let article = Programs.package.appendingPathComponent("Sources/Lattice/Lattice.docc/GettingStarted.md")
        let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```")
        let manifest = try #require(blocks.first { $0.hasPrefix("\n// swift-tools-version") }).dropFirst()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lattice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The package takes its name from the address, which nothing is fetched from.
        let addressed = manifest.replacingOccurrences(of: "\"URL\"", with: "\"https://example.org/lattice\"")
        try Data(addressed.utf8).write(to: folder.appendingPathComponent("Package.swift"))

        let arguments = ["swift", "package", "--package-path", folder.path, "dump-package"]
        let run = try await Programs.run("/usr/bin/env", arguments, takesErrors: true)
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("\"MyFeaturesTests\""), "\(run.output)")
    }
}
