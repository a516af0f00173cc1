import LatticeCore

/// The files that a word is in. It grows with the index.
struct Answer: Patchable, Sendable {
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

    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {
        try patch.field("word", from: old.word, to: word)
        try patch.field("counts", from: old.counts, to: counts)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "word": try patch.apply(to: &word)
            case "counts": try patch.apply(to: &counts)
            default: throw patch.unknownField(name)
            }
        }
    }
}
