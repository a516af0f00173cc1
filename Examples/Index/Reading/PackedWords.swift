/// The number of occurrences of each word of a file, packed into a few bytes per word. A large tree has millions of
/// words.
///
/// Each word is stored as its length, its count and its bytes. Numbers are stored in groups of seven bits, lowest
/// first.
struct PackedWords: Equatable, Sendable {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    mutating func append(_ word: some Collection<UInt8>, count: Int) {
        appendNumber(word.count)
        appendNumber(count)
        bytes.append(contentsOf: word)
    }

    /// Returns the number of occurrences of a word.
    /// - Complexity: O(*n*) in the number of words. Most words differ in their lengths, so few bytes are compared.
    func count(of word: [UInt8]) -> Int {
        bytes.withUnsafeBytes { bytes in
            word.withUnsafeBytes { word in
                var offset = 0
                while let length = Self.number(in: bytes, at: &offset), let count = Self.number(in: bytes, at: &offset),
                    length <= bytes.count - offset
                {
                    if length == word.count, bytes[offset..<offset + length].elementsEqual(word) { return count }
                    offset += length
                }
                return 0
            }
        }
    }

    private mutating func appendNumber(_ number: Int) {
        var rest = UInt(number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads a number. Returns nil at the end and for invalid bytes.
    private static func number(in bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Int? {
        var value = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            guard offset < bytes.count else { return nil }
            let byte = bytes[offset]
            offset += 1
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension PackedWords: Codable {
    init(from decoder: any Decoder) throws {
        bytes = try decoder.singleValueContainer().decode([UInt8].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }
}
