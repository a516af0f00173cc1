import ExampleSupport
import HeapModule

/// The counted files of all portions, sorted by path.
///
/// The files of each portion are sorted already. Only one file of each portion is in memory at a time.
struct SortedFiles: Sequence, IteratorProtocol {
    /// A portion with files that have not been returned yet.
    private struct Rest: Comparable {
        var first: FileCount
        var others: Portion.Files

        static func < (left: Rest, right: Rest) -> Bool { FilePath.precedes(left.first.path, right.first.path) }
        static func == (left: Rest, right: Rest) -> Bool { left.first.path == right.first.path }
    }

    private var rests: Heap<Rest>

    init(_ portions: some Sequence<Portion>) {
        rests = Heap(portions.compactMap { Self.rest($0.files) })
    }

    private static func rest(_ files: Portion.Files) -> Rest? {
        var files = files
        return files.next().map { Rest(first: $0, others: files) }
    }

    mutating func next() -> FileCount? {
        guard let smallest = rests.min else { return nil }
        if let rest = Self.rest(smallest.others) { rests.replaceMin(with: rest) } else { rests.removeMin() }
        return smallest.first
    }
}
