/// The counted files, packed: a hundred thousand of them are handed from process to process many times, and the bytes
/// of a few large blocks move as fast as memory does.
///
/// Each file is the length of what its path shares with the one before, the length of the rest, the rest, and the three
/// counts; numbers in groups of seven bits, lowest first. Full blocks never change, so that copies share them.
struct Ledger: Equatable, Sendable {
    /// Where a block is closed. Small enough that changing the open one costs little.
    static let blockBytes = 64 * 1024

    private var sealed: [[UInt8]] = []
    private var open: [UInt8] = []
    private(set) var count = 0
    private(set) var lines: UInt64 = 0
    private(set) var words: UInt64 = 0
    private(set) var bytes: UInt64 = 0
    /// The path that the next one is compared with. Not part of the content: it only saves space.
    private var last: [UInt8] = []

    mutating func append(_ file: FileCount) {
        let shared = FilePath.sharedLength(last, file.path)
        open.appendNumber(UInt64(shared))
        open.appendNumber(UInt64(file.path.count - shared))
        open.append(contentsOf: file.path[shared...])
        open.appendNumber(file.lines)
        open.appendNumber(file.words)
        open.appendNumber(file.bytes)
        count += 1
        lines += file.lines
        words += file.words
        bytes += file.bytes
        last = file.path
        if open.count >= Self.blockBytes {
            sealed.append(open)
            open = []
            last = []
        }
    }

    /// The files in the order in which they were counted. A block that makes no sense ends early.
    func forEach(_ body: (FileCount) -> Void) {
        for block in sealed + [open] {
            var reader = BlockReader(block)
            while let file = reader.next() { body(file) }
        }
    }

    static func == (left: Ledger, right: Ledger) -> Bool {
        left.count == right.count && left.open == right.open && left.sealed == right.sealed
    }
}

extension Ledger: Codable {
    private enum CodingKeys: String, CodingKey { case sealed, open, count, lines, words, bytes }
}

extension Ledger {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sealed = try container.decode([[UInt8]].self, forKey: .sealed)
        open = try container.decode([UInt8].self, forKey: .open)
        count = try container.decode(Int.self, forKey: .count)
        lines = try container.decode(UInt64.self, forKey: .lines)
        words = try container.decode(UInt64.self, forKey: .words)
        bytes = try container.decode(UInt64.self, forKey: .bytes)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(sealed, forKey: .sealed)
        try container.encode(open, forKey: .open)
        try container.encode(count, forKey: .count)
        try container.encode(lines, forKey: .lines)
        try container.encode(words, forKey: .words)
        try container.encode(bytes, forKey: .bytes)
    }
}

/// Reads the files of one block.
private struct BlockReader {
    private let block: [UInt8]
    private var offset = 0
    private var path: [UInt8] = []

    init(_ block: [UInt8]) {
        self.block = block
    }

    mutating func next() -> FileCount? {
        guard let shared = number(), let rest = number(), Int(shared) <= path.count,
            Int(rest) <= block.count - offset
        else { return nil }
        path.removeLast(path.count - Int(shared))
        path.append(contentsOf: block[offset..<offset + Int(rest)])
        offset += Int(rest)
        guard let lines = number(), let words = number(), let bytes = number() else { return nil }
        return FileCount(path: path, lines: lines, words: words, bytes: bytes)
    }

    private mutating func number() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) {
            guard offset < block.count else { return nil }
            let byte = block[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension [UInt8] {
    fileprivate mutating func appendNumber(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }
}
