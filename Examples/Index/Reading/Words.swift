import Glibc

/// The definition of a word: a longest run of ASCII letters, digits and underscores, as for `grep -w` in the C locale.
enum Words {
    static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Returns whether a text consists of exactly one word.
    static func isWord(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isPart) }

    /// Counts the words of a text.
    ///
    /// - Returns: The words, or nil if the data contains a zero byte and is therefore no text.
    static func count(in text: UnsafeRawBufferPointer) -> PackedWords? {
        guard let start = text.baseAddress else { return PackedWords() }
        guard memchr(start, 0, text.count) == nil else { return nil }
        var counts: [Word: Int] = [:]
        var offset = 0
        while offset < text.count {
            let first = offset
            while offset < text.count, isPart(text[offset]) { offset += 1 }
            if offset > first {
                counts[Word(bytes: UnsafeRawBufferPointer(rebasing: text[first..<offset])), default: 0] += 1
            }
            offset += 1
        }
        var words = PackedWords()
        for (word, count) in counts { words.append(word.bytes, count: count) }
        return words
    }

    /// A word in the memory of the text.
    private struct Word: Hashable {
        let bytes: UnsafeRawBufferPointer

        static func == (left: Word, right: Word) -> Bool {
            guard left.bytes.count == right.bytes.count, let one = left.bytes.baseAddress,
                let two = right.bytes.baseAddress
            else { return false }
            return memcmp(one, two, left.bytes.count) == 0
        }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
    }
}
