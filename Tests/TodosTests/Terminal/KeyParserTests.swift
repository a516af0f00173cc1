import ExampleSupport
import Testing

@Suite struct KeyParserTests {
    private static let table: [(String, [Key])] = [
        ("a j", [.text("a"), .text(" "), .text("j")]),
        ("\r\n", [.enter, .enter]),
        ("\u{7F}\u{8}", [.backspace, .backspace]),
        ("\u{3}\u{4}", [.interrupt, .interrupt]),
        ("\u{1B}[A\u{1B}[B\u{1B}OA\u{1B}OB", [.up, .down, .up, .down]),
        ("\u{1B}[C\u{1B}[15~\u{1B}[1;5P\u{1B}OPx", [.other, .other, .other, .other, .text("x")]),
        // An escape and a key, not a sequence; an escape that begins another one.
        ("\u{1B}q", [.escape, .text("q")]),
        ("\u{1B}\u{1B}[A", [.escape, .up]),
        ("\u{1B}[1\u{1B}[A", [.up]),
        ("é牛🥛", [.text("é"), .text("牛"), .text("🥛")]),
        ("\u{1}\t", [.other, .other]),
        // A control character of two bytes.
        ("\u{9B}A", [.other, .text("A")]),
    ]

    @Test(arguments: table)
    func bytesBecomeKeys(text: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.feed(text.utf8) == keys)
        #expect(!parser.isPending)
    }

    @Test(arguments: table)
    func bytesMayComeOneByOne(text: String, keys: [Key]) {
        var parser = KeyParser()
        #expect(text.utf8.flatMap { parser.feed([$0]) } == keys)
    }

    @Test func anEscapeAloneIsKnownAfterAPause() {
        var parser = KeyParser()
        #expect(parser.feed([0x1B]) == [])
        #expect(parser.isPending)
        #expect(parser.pause() == [.escape])
        #expect(!parser.isPending)
        #expect(parser.pause() == [])
    }

    @Test(arguments: [[0x1B, 0x5B], [0x1B, 0x5B, 0x31], [0xF0, 0x9F]] as [[UInt8]])
    func halfOfSomethingIsDroppedAfterAPause(bytes: [UInt8]) {
        var parser = KeyParser()
        #expect(parser.feed(bytes) == [])
        #expect(parser.isPending)
        #expect(parser.pause() == [])
        #expect(parser.feed("A".utf8) == [.text("A")])
    }

    @Test(
        arguments: [
            // Not UTF-8: a byte that nothing begins with, half a character before another, a surrogate.
            ([0xFF, 0x61], [.other, .text("a")]),
            ([0xC3, 0x61], [.text("a")]),
            ([0xED, 0xA0, 0x80, 0x61], [.other, .text("a")]),
        ] as [([UInt8], [Key])]
    )
    func invalidTextIsSkipped(bytes: [UInt8], keys: [Key]) {
        var parser = KeyParser()
        #expect(parser.feed(bytes) == keys)
    }

    @Test func aSequenceHasABound() {
        var parser = KeyParser()
        let keys = parser.feed("\u{1B}[".utf8 + Array(repeating: UInt8(ascii: "1"), count: 33) + "q".utf8)
        #expect(keys == [.other, .text("q")])
    }
}
