import Testing

@testable import IndexProgram

@Suite struct WordsTests {
    private func count(_ word: String, in text: [UInt8]) -> Int? {
        text.withUnsafeBytes { Words.count(in: $0)?.count(of: Array(word.utf8)) }
    }

    /// The expected matches are those of `LC_ALL=C grep -owF`.
    @Test(arguments: [
        ("a", "a", 1), ("a", "a a,a\na", 4), ("a", "aa a_a _a a1", 0), ("a", "a-a.a", 3), ("word", "word", 1),
        ("word", "words Word wor", 0), ("_1", "_1 1_1 _1", 2), ("a", "", 0), ("a", "\n\n", 0), ("a", "éaé", 1),
    ])
    func words(word: String, text: String, count: Int) {
        #expect(self.count(word, in: Array(text.utf8)) == count)
    }

    @Test func bytesThatAreNoText() {
        #expect(count("a", in: [0x61, 0xFF, 0x61]) == 2)
        #expect(count("a", in: [0x61, 0x00, 0x61]) == nil)
    }

    @Test(arguments: [("a", true), ("A_9", true), ("", false), ("a b", false), ("é", false), ("a-b", false)])
    func validSearchWords(text: String, isWord: Bool) {
        #expect(Words.isWord(text) == isWord)
    }

    /// Lengths and counts of one, two and three groups of bits.
    @Test(arguments: [1, 127, 128, 16_383, 16_384])
    func packedNumbers(size: Int) {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        var words = PackedWords()
        words.append(Array("before".utf8), count: 1)
        words.append(long, count: size)
        words.append(Array("behind".utf8), count: 2)
        #expect(words.count(of: long) == size)
        #expect(words.count(of: Array("behind".utf8)) == 2)
        #expect(words.count(of: Array(long.dropLast())) == 0)
    }

    /// Malformed bytes from another process end the list early.
    @Test func brokenBytes() throws {
        var words = PackedWords()
        words.append(Array("word".utf8), count: 3)
        for end in words.bytes.indices {
            #expect(PackedWords(bytes: Array(words.bytes[..<end])).count(of: Array("word".utf8)) == 0)
        }
        #expect(PackedWords(bytes: [UInt8](repeating: 0xFF, count: 20)).count(of: Array("word".utf8)) == 0)
    }
}
