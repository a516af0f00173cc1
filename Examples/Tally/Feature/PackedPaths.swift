import ExampleSupport

/// The paths of some files, sorted by their bytes and packed. A state has hundreds of thousands of paths.
///
/// The format is the number of bytes of the lengths, then three lengths for each path, then the middle parts of all
/// paths as ``PackedText``. The lengths of a path are those of the beginning and of the end that it shares with the
/// previous path, and of the middle part in between.
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
