import ExampleSupport
import LatticeCore

/// The result as lines, sorted by the bytes of the paths.
struct SumLines: Sendable {
    private let state: ChecksumsState
    /// The path as it was typed, so that the lines can be checked from the same directory.
    private let root: [UInt8]

    init(_ state: ChecksumsState, below root: [UInt8]) {
        self.state = state
        self.root = root
    }

    /// The lines in the format of `sha256sum`, with line feeds.
    var sums: some Sequence<[UInt8]> {
        paths(state.files).lazy.compactMap { [self] key in
            state.files[key].map { Self.line($0, path(key)) }
        }
    }

    /// Messages about the files without a checksum.
    var failures: some Sequence<String> {
        paths(state.failures).lazy.compactMap { [self] key in
            state.failures[key].map { "\(PathText.display(path(key))): \($0)" }
        }
    }

    private func paths<Value>(_ values: StateDictionary<PathKey, Value>) -> [PathKey] {
        // Each character stands for a byte, so the order of the characters is the order of the bytes.
        values.keys.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
    }

    private func path(_ key: PathKey) -> [UInt8] {
        let path = key.path
        guard !path.isEmpty else { return root }
        return root.last == FilePath.slash ? root + path : root + [FilePath.slash] + path
    }

    /// Returns the checksum, two spaces and the path. In a path with a backslash or a line break, these are escaped,
    /// and the line begins with a backslash.
    static func line(_ checksum: Checksum, _ path: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(path.count)
        for byte in path {
            switch byte {
            case UInt8(ascii: "\\"): escaped += Array("\\\\".utf8)
            case UInt8(ascii: "\n"): escaped += Array("\\n".utf8)
            case UInt8(ascii: "\r"): escaped += Array("\\r".utf8)
            default: escaped.append(byte)
            }
        }
        let mark = escaped.count > path.count ? "\\" : ""
        return Array("\(mark)\(checksum)  ".utf8) + escaped + [UInt8(ascii: "\n")]
    }
}
