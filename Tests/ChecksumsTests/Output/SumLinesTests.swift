import Testing

@testable import ChecksumsProgram

struct SumLinesTests {
    private let checksum = Checksum(0..<32)
    private let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

    @Test(
        "A name with a line break or a backslash is escaped, and its line is marked",
        arguments: [
            ("a", "", "a"), (" a b ", "", " a b "), ("a\nb", "\\", "a\\nb"), ("a\\b", "\\", "a\\\\b"),
            ("a\rb", "\\", "a\\rb"),
            ("\\n\n", "\\", "\\\\n\\n"), ("tab\t\u{1B}ü", "", "tab\t\u{1B}ü"),
        ]
    )
    func escaping(path: String, mark: String, shown: String) {
        #expect(SumLines.line(checksum, Array(path.utf8)) == Array("\(mark)\(digits)  \(shown)\n".utf8))
    }

    @Test func bytesThatAreNoTextAreWrittenAsTheyAre() {
        #expect(SumLines.line(checksum, [0xFF, 0x80]) == Array("\(digits)  ".utf8) + [0xFF, 0x80, 0x0A])
    }

    private func paths(below root: String, _ paths: [[UInt8]]) -> [[UInt8]] {
        var state = ChecksumsState()
        var batch = HashedBatch(process: 1)
        for path in paths { batch.append(HashedFile(path: path, bytes: 1, checksum: checksum)) }
        state.add(batch, from: 0, at: 0)
        return SumLines(state, below: Array(root.utf8)).sums.map { Array($0.dropFirst(66).dropLast()) }
    }

    @Test("Lines are sorted by the bytes of their paths, whatever those bytes are")
    func order() {
        let sorted: [[UInt8]] = [[0x20], [0x61], [0x61, 0x2F, 0x62], [0x61, 0x61], [0x62], [0xC3, 0xA4], [0xFF]]
        #expect(paths(below: "/", sorted.shuffled()) == sorted.map { [0x2F] + $0 })
    }

    @Test(arguments: [("x", "x/a"), ("x/", "x/a"), (".", "./a"), ("/", "/a")])
    func pathsBeginAsTheyWereTyped(root: String, path: String) {
        #expect(paths(below: root, [Array("a".utf8)]) == [Array(path.utf8)])
        #expect(paths(below: root, [[]]) == [Array(root.utf8)])
    }

    @Test func failuresAreOnOneLine() {
        var state = ChecksumsState()
        state.add([Failure(path: Array("a\nb".utf8), reason: "Permission denied")], from: 0)
        #expect(Array(SumLines(state, below: Array("x".utf8)).failures) == ["x/a\\nb: Permission denied"])
    }
}
