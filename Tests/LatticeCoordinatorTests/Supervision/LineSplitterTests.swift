import LatticeCoordinator
import Testing

struct LineSplitterTests {
    @Test(
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\n\nb", ["a", "", "b"]),
            ("a\r\nb\r\n", ["a", "b"]),
            ("a\rb\n", ["a\rb"]), ("äöü\n€", ["äöü", "€"]),
        ] as [(String, [String])]
    )
    func linesAreTheSameAtEverySplit(text: String, lines: [String]) {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            #expect(Self.lines(of: [Array(bytes[..<split]), Array(bytes[split...])]) == lines, "split at \(split)")
        }
        #expect(Self.lines(of: bytes.map { [$0] }) == lines)
    }

    @Test(arguments: [1, 1000, 16_384, 100_000])
    func aLineWithoutEndIsCut(piece: Int) {
        let bytes = [UInt8](repeating: 0x78, count: 40_000)
        let pieces = stride(from: 0, to: bytes.count, by: piece).map { Array(bytes[$0..<min($0 + piece, bytes.count)]) }
        #expect(Self.lines(of: pieces).map(\.utf8.count) == [16_384, 16_384, 7232])
    }

    private static func lines(of pieces: [[UInt8]]) -> [String] {
        var splitter = LineSplitter()
        var lines: [String] = []
        for piece in pieces { piece.withUnsafeBytes { bytes in splitter.feed(bytes) { lines.append(text($0)) } } }
        splitter.end { lines.append(text($0)) }
        return lines
    }

    private static func text(_ line: UnsafeRawBufferPointer) -> String { String(decoding: line, as: UTF8.self) }
}
