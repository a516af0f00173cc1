import Foundation

/// The files of this package.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// README.md, CONTRIBUTING.md, every article of every catalog, and the page of every example.
    static func documents() throws -> [Document] {
        let articles = try files(below: "Sources") { $0.hasSuffix(".md") && $0.contains(".docc/") }
        let pages = try files(below: "Examples") { $0.hasSuffix("/README.md") }
        let paths = ["README.md", "CONTRIBUTING.md"] + articles + pages
        return try paths.map { Document(file: $0, text: try text(of: $0)) }
    }

    /// Returns the compiled sources that contain the code blocks of the documents.
    static func sources() throws -> [SourceText] {
        try ["Tests/DocumentationTests/Snippets", "Tests/LatticeMainActorTests", "Examples"]
            .flatMap { try files(below: $0) { $0.hasSuffix(".swift") } }
            .map { SourceText(try text(of: $0)) }
    }

    static func text(of file: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }

    /// Whether there is something at `target`, seen from the folder of `file`.
    static func exists(_ target: String, from file: String) -> Bool {
        let folder = root.appendingPathComponent(file).deletingLastPathComponent()
        return FileManager.default.fileExists(atPath: folder.appendingPathComponent(target).path)
    }

    private static func files(below folder: String, where isWanted: (String) -> Bool) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .map { "\(folder)/\($0)" }
            .filter(isWanted)
            .sorted()
    }
}
