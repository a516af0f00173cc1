import ExampleSupport
import LatticeCore

/// The result: all files, the failures, and the totals. The order does not depend on the order of the work.
struct Report: Sendable {
    struct Total: Sendable, Equatable {
        var files = 0
        var lines: UInt64 = 0
        var words: UInt64 = 0
        var bytes: UInt64 = 0

        mutating func add(_ file: FileCount) {
            files += 1
            lines += file.lines
            words += file.words
            bytes += file.bytes
        }
    }

    let root: String
    let failures: [TallyState.Failure]
    let total: Total
    /// The totals by file extension. The one with the most lines comes first, and ties are sorted by the bytes of the
    /// names.
    let extensions: [(name: [UInt8], total: Total)]
    let incarnations: Int
    private let portions: StateDictionary<Int, Portion>
    /// The name of the root. A root that is a file has an empty path in the state, and is shown by its name.
    private let rootName: [UInt8]

    init(_ state: TallyState, root: [UInt8]) {
        self.root = PathText.text(root)
        incarnations = state.incarnations
        rootName = root.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
        portions = state.portions
        var total = Total()
        var extensions: [[UInt8]: Total] = [:]
        for portion in portions.values {
            for file in portion.files {
                total.add(file)
                let path = file.path.isEmpty ? rootName : file.path
                extensions[PathText.fileExtension(of: path), default: Total()].add(file)
            }
        }
        self.total = total
        failures = state.failures.values.sorted { FilePath.precedes($0.path, $1.path) }
        self.extensions = extensions.map { (name: $0.key, total: $0.value) }.sorted { left, right in
            left.total.lines == right.total.lines
                ? left.name.lexicographicallyPrecedes(right.name) : left.total.lines > right.total.lines
        }
    }

    /// The files sorted by path. They are unpacked one after the other.
    var files: some Sequence<FileCount> {
        SortedFiles(portions.values).lazy.map { [rootName] file in
            var file = file
            if file.path.isEmpty { file.path = rootName }
            return file
        }
    }
}
