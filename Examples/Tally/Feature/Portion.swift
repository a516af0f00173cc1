import LatticeCore

/// Files that a lane takes together. A portion is a claim first, and a part of the result when its files are counted.
/// Its paths are sent only once, with the claim.
struct Portion: Equatable, Sendable {
    let paths: PackedPaths
    /// The counts, or nil while the files are being counted.
    var counts: PackedCounts?

    /// The files that could be counted, sorted by path. There are none while they are being counted.
    struct Files: Sequence, IteratorProtocol, Sendable {
        private var paths: PackedPaths.Iterator
        private var counts: PackedCounts.Reader?

        fileprivate init(_ portion: Portion) {
            paths = portion.paths.makeIterator()
            counts = portion.counts.map(PackedCounts.Reader.init)
        }

        mutating func next() -> FileCount? {
            guard counts != nil else { return nil }
            while let path = paths.next() {
                if let file = counts?.next(path) { return file }
            }
            return nil
        }
    }

    var files: Files { Files(self) }
}

extension Portion: Patchable {
    func encodePatch(from old: Portion, to patch: inout PatchEncoder) throws {
        // A portion with other paths is another portion.
        guard paths == old.paths else { return try patch.set(self) }
        try patch.field("counts", from: old.counts, to: counts)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "counts": try patch.apply(to: &counts)
            default: throw patch.unknownField(name)
            }
        }
    }
}
