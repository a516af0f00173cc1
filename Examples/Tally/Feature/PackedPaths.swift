import ExampleSupport

/// The paths of some files, in the order of their bytes, packed: a state has hundreds of thousands of them.
///
/// The number of bytes of the lengths; three lengths for each path: of what it shares with the one before at the
/// beginning, of what at the end, and of what is between the two; then the latter, of all paths, as ``PackedText``.
struct PackedPaths: Equatable, Sendable {
    private let bytes: [UInt8]

    init(_ paths: [[UInt8]]) {
        var lengths: [UInt8] = []
        var text: [UInt8] = []
        var last: [UInt8] = []
        for path in paths.sorted(by: FilePath.precedes) {
            let beginning = FilePath.sharedLength(last, path)
            let end = Self.sharedEnd(last[beginning...], path[beginning...])
            lengths.appendNumber(beginning)
            lengths.appendNumber(end)
            lengths.appendNumber(path.count - beginning - end)
            text.append(contentsOf: path[beginning..<path.count - end])
            last = path
        }
        var bytes: [UInt8] = []
        bytes.appendNumber(lengths.count)
        self.bytes = (bytes + lengths + PackedText.pack(text)).fitted
    }

    private static func sharedEnd(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Int {
        zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
    }
}

extension PackedPaths: Sequence {
    struct Iterator: IteratorProtocol {
        private var lengths: PackedReader
        private let end: Int
        private var text: PackedText.Reader
        private var path: [UInt8] = []

        fileprivate init(_ bytes: [UInt8]) {
            lengths = PackedReader(bytes)
            let count = lengths.length(atMost: bytes.count) ?? 0
            end = lengths.offset + count
            text = PackedText.Reader(bytes, at: end)
        }

        mutating func next() -> [UInt8]? {
            guard lengths.offset < end, let beginning = lengths.length(atMost: path.count),
                let end = lengths.length(atMost: path.count - beginning),
                let length = lengths.length(atMost: .max), let middle = text.next(length)
            else { return nil }
            path.replaceSubrange(beginning..<path.count - end, with: middle)
            return path
        }
    }

    func makeIterator() -> Iterator { Iterator(bytes) }
}

extension PackedPaths: Codable {
    init(from decoder: any Decoder) throws {
        bytes = try decoder.singleValueContainer().decode([UInt8].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
