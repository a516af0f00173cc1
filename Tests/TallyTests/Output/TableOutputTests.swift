import ExampleSupport
import Testing

@testable import TallyProgram

struct TableOutputTests {
    /// A report of a chain of folders with a file in each.
    private func chain(depth: Int) -> Report {
        var state = TallyState()
        for level in 0..<depth {
            let path = Array((String(repeating: "d/", count: level) + "f\(level).txt").utf8)
            var counted = CountedFiles()
            counted.append(FileCount(path: path, lines: 1, words: 2, bytes: 3))
            state.claim(PackedPaths([path]), by: 0)
            state.record(counted, by: 0)
        }
        return Report(state, root: Array("/root".utf8))
    }

    private func table(_ report: Report) -> String {
        var text = ""
        TableOutput(report).write(to: &text)
        return text
    }

    @Test(
        "The table of a chain of 2,000 folders is about twice as long as that of 1,000, with a row per file"
    )
    func deepChains() {
        let (half, whole) = (table(chain(depth: 1_000)), table(chain(depth: 2_000)))
        #expect(whole.utf8.count < 3 * half.utf8.count, "\(half.utf8.count), then \(whole.utf8.count)")
        #expect(whole.utf8.count < 2_000 * (PathText.shownBytes + 40))
        let rows = whole.split(separator: "\n")
        // The heading, the files, the sum; then the same for the one extension.
        #expect(rows.count == 1 + 2_000 + 1 + 2)
        #expect(rows.filter { $0.contains(" … ") }.allSatisfy { $0.hasSuffix(".txt") })
    }

    @Test func shortPathsAreShownWhole() {
        let path = String(repeating: "d", count: PathText.shownBytes)
        #expect(PathText.display(Array(path.utf8)) == path)
        #expect(PathText.display([]) == ".")
    }

    @Test("A long path is shortened in its middle, and no character is split", arguments: 0..<4)
    func longPaths(offset: Int) {
        let path = String(repeating: "a", count: offset) + String(repeating: "€", count: 300) + "/a\nb.txt"
        let shown = PathText.display(Array(path.utf8))
        #expect(!shown.contains("\u{FFFD}"))
        #expect(shown.contains(" … "))
        #expect(shown.hasPrefix(path.prefix(offset + 10)))
        #expect(shown.hasSuffix("€€/a\\nb.txt"))
        #expect(shown.utf8.count <= PathText.shownBytes + 8)
    }
}
