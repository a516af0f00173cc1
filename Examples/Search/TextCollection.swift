import Foundation

/// The error of a search, as a sentence for the user.
struct SearchError: Error, Equatable {
    let sentence: String
}

/// The lines of all text files below a folder. They are read once, and searched outside of the main actor.
actor TextCollection {
    /// The maximum size of a file in bytes. Larger files are left out.
    static let maximumFile = 1 << 20
    /// The maximum size of all files in bytes. Further files are left out.
    static let maximumBytes = 64 << 20
    /// The maximum number of matches that are returned. Further matches are only counted.
    static let maximumMatches = 10

    private let folder: String
    private var files: [(path: String, lines: [String])]?

    init(folder: String) {
        self.folder = folder
    }

    /// Returns the lines that contain `text`, ignoring case, in the order of the paths.
    ///
    /// - Throws: `SearchError` if there is no such folder, and `CancellationError` if the task is cancelled.
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
