import ExampleSupport
import LatticeCore
import Testing

@testable import IndexProgram

@Suite struct IndexScreenTests {
    private func lines(
        _ view: IndexViewState,
        _ answer: Answer? = nil,
        typed: String,
        rows: Int = 24,
        host: HostStatus = .local
    ) -> [String] {
        let size = Terminal.Size(columns: 60, rows: rows)
        return IndexScreen(view, answer, typed: typed, root: "src", host: host, size: size).lines
    }

    private let view = IndexViewState(found: 9, indexed: 3)

    private var answer: Answer {
        var state = IndexState()
        for (path, count) in [("a", 1), ("b\u{1B}", 30), ("below/c", 30)] {
            var words = PackedWords()
            words.append(Array("word".utf8), count: count)
            state.add([
                PathKey(Array(path.utf8)): IndexedFile(stamp: FileStamp(size: 0, modified: [0, 0]), words: words)
            ])
        }
        return Answer(to: "word", in: state.files)
    }

    @Test func theFilesThatHaveMost() {
        let typed = "word"
        #expect(
            lines(view, answer, typed: typed) == [
                "wordindex: 3 of 9 files  src", "> word_", "61 times in 3 files",
                "     30  b?", "     30  below/c", "      1  a",
                "type a word  Backspace  Enter reads changed files again  Es…",
            ]
        )
        #expect(lines(view, answer, typed: typed, rows: 5).count == 5)
        #expect(lines(view, answer, typed: typed, rows: 5)[3] == "     30  b?")
    }

    @Test func anAnswerToAnotherWordIsNotShown() {
        #expect(lines(view, answer, typed: "words").prefix(3) == ["wordindex: 3 of 9 files  src", "> words_", ""])
    }

    @Test func problemsAndCompletenessAreShown() {
        let complete = IndexViewState(found: 9, indexed: 9, leftOut: 2, isComplete: true)
        #expect(lines(complete, typed: "")[0] == "wordindex: 9 files, 2 more do not fit  src")
        #expect(lines(complete, typed: "", host: .connecting)[0] == "wordindex: 9 files, 2 more do not fit  connecting")
    }

    @Test(arguments: [
        ("a", "a", SearchField.Request.search), ("ab", "ab", .search), ("a b", "ab", .search),
        ("a ", "a", .nothing), ("a\u{7F}", "", .search), ("\u{7F}", "", .nothing), ("a\r", "a", .readAgain),
        ("q", "q", .search), ("\u{1B}", "", .quit), ("\u{3}", "", .quit), ("a\u{1B}[A", "a", .nothing),
    ])
    func keys(typed: String, text: String, request: SearchField.Request) {
        var field = SearchField()
        var parser = KeyParser()
        let keys = parser.feed(typed.utf8) + parser.pause()
        #expect(keys.map { field.handle($0) }.last == request)
        #expect(field.text == text)
    }
}
