import Foundation

/// What cannot be searched, in a sentence for people.
struct SearchError: Error, Equatable {
    let sentence: String
}

/// The lines of all text files below a folder. Read once, and searched off the main actor.
actor TextCollection {
    /// Files that are larger are left out, and so is what comes when so much was read in all.
    static let maximumFile = 1 << 20
    static let maximumBytes = 64 << 20
    /// Matches that are handed out; the others are only counted.
    static let maximumMatches = 10

    private let folder: String
    private var files: [(path: String, lines: [String])]?

    init(folder: String) {
        self.folder = folder
    }

    /// The lines that contain `text`, whatever the case of its letters; in the order of the paths.
    ///
    /// - Throws: `SearchError` if there is no such folder, `CancellationError` if nobody waits any more.
    func search(for text: String) throws -> Found {
        let files = try self.files ?? read()
        self.files = files
        var matches: [Match] = []
        var total = 0
        for file in files {
            try Task.checkCancellation()
            for (index, line) in file.lines.enumerated() where line.range(of: text, options: .caseInsensitive) != nil {
                total += 1
                guard matches.count < Self.maximumMatches else { continue }
                matches.append(Match(path: file.path, line: index + 1, text: line.trimmingCharacters(in: .whitespaces)))
            }
        }
        return Found(text: text, matches: matches, total: total)
    }

    private func read() throws -> [(path: String, lines: [String])] {
        guard let paths = FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) else {
            throw SearchError(sentence: "There is no folder \(folder); name one that exists.")
        }
        var files: [(path: String, lines: [String])] = []
        var bytes = 0
        for path in paths.sorted() {
            try Task.checkCancellation()
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)"), data.count <= Self.maximumFile,
                bytes + data.count <= Self.maximumBytes, let text = String(data: data, encoding: .utf8)
            else { continue }
            bytes += data.count
            files.append((path, text.components(separatedBy: "\n")))
        }
        return files
    }
}
