/// The name of a package that `latticectl new` writes, such as "my-app".
struct PackageName {
    /// The maximum number of characters. The name is part of the path of a socket, which has at most about 100
    /// characters.
    static let maximumLength = 40
    /// The names that a package cannot have, because Lattice or a package that it depends on has them.
    private static let taken: Set<String> = [
        "hdrhistogram-swift", "lattice", "swift-argument-parser", "swift-collections", "swift-custom-dump",
        "swift-distributed-tracing", "swift-log", "swift-metrics", "swift-numerics", "swift-service-context",
        "swift-service-lifecycle", "swift-syntax", "swift-async-algorithms", "xctest-dynamic-overlay",
    ]

    /// The names whose targets or executable would have the name of one of Lattice, or of a folder of the build.
    ///
    /// The names of targets are unique among all packages that a package depends on, including targets that it does
    /// not use.
    private static let takenTargets: Set<String> = [
        "actorhost", "checksums", "counter", "farm", "faulty", "index", "lattice-bench", "latticectl", "modulecache",
        "modules", "search", "service", "starter", "subject", "tally", "todos", "traced", "unruly", "wordindex",
    ]

    /// The names whose features would have the name of a protocol of Lattice.
    private static let takenTypes: Set<String> = ["answering", "hosted", "presence"]

    /// The name.
    let text: String

    /// The name as the beginning of the name of a type, such as "MyApp".
    var typeName: String {
        text.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Creates a name.
    ///
    /// - Throws: `ControlFailure` if a package cannot have the name.
    init(_ text: String) throws {
        func failure(_ reason: String) -> ControlFailure {
            ControlFailure("\"\(text)\" cannot be the name of a package: \(reason)", code: 64)
        }
        guard 1...Self.maximumLength ~= text.count else {
            throw failure("it has to have 1 to \(Self.maximumLength) characters. Choose another name.")
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isWord = text.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }
        guard isWord, parts.allSatisfy({ !$0.isEmpty }), text.first?.isLetter == true else {
            throw failure(
                "it has to begin with a letter and to have only lowercase letters, digits, and single hyphens between"
                    + " them, as in my-app."
            )
        }
        self.text = text
        guard !Self.taken.contains(text) else {
            throw failure("Lattice or a package that it depends on has this name. Choose another name.")
        }
        guard !Self.takenTypes.contains(text) else {
            throw failure(
                "its feature would be named \(typeName)Feature, as a protocol of Lattice. Choose another name."
            )
        }
        guard !Self.takenTargets.contains(text) else {
            throw failure("a program of Lattice or a folder of the build has this name. Choose another name.")
        }
    }
}
