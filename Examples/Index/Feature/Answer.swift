import Lattice

/// The files that a word is in. It grows with the index.
@Patchable struct Answer: Codable, Equatable, Sendable {
    private(set) var word = ""
    /// How often it is in each file, by path.
    private(set) var counts: StateDictionary<String, Int> = [:]

    mutating func search(for word: String, in files: StateDictionary<String, IndexedFile>) {
        self.word = word
        follow(files)
    }

    /// Looks at the files that have changed since the last time; at all of them if the word has.
    mutating func follow(_ files: StateDictionary<String, IndexedFile>) {
        let bytes = Array(word.utf8)
        counts.update(from: files, dependingOn: word) { _, file, count in
            let found = file.words?.count(of: bytes) ?? 0
            count = found > 0 ? found : nil
        }
    }
}
