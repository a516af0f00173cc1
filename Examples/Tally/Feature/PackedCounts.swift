/// The counts of some files, in the order of their paths, packed.
///
/// A file is stored as the number of its lines plus one, its words and its bytes. A file that could not be counted is
/// stored as 0.
struct PackedCounts: Equatable, Sendable {
    private var packed: [UInt8] = []

    mutating func append(_ file: FileCount) {
        packed.appendNumber(file.lines + 1)
        packed.appendNumber(file.words)
        packed.appendNumber(file.bytes)
    }

    mutating func appendFailure() {
        packed.append(0)
    }

    /// Reads the counts, one file after the other.
    struct Reader: Sendable {
        private var reader: PackedReader

        init(_ counts: PackedCounts) {
            reader = PackedReader(counts.packed)
        }

        /// Returns the counts of the next file, or nil for a file that could not be counted.
        mutating func next(_ path: [UInt8]) -> FileCount? {
            guard let lines = reader.number(), lines > 0, let words = reader.number(), let bytes = reader.number()
            else { return nil }
            return FileCount(path: path, lines: lines - 1, words: words, bytes: bytes)
        }
    }
}

extension PackedCounts: Codable {
    init(from decoder: any Decoder) throws {
        packed = try decoder.singleValueContainer().decode([UInt8].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(packed)
    }
}
