import ExampleSupport
import Testing

@testable import TodosProgram

@Suite struct LineCommandTests {
    private static let two = TodosViewState(todos: [Todo(id: 7, title: "a"), Todo(id: 9, title: "b")])

    @Test(
        arguments: [
            ("", nil), (" \t", nil), ("add a  b ", .send(.add(title: "a b"))), ("toggle 1", .send(.toggle(7))),
            (" delete  2 ", .send(.delete(9))), ("clear", .send(.clearDone)), ("quit\r", .quit),
        ] as [(String, LineCommand?)]
    )
    func linesAreCommands(line: String, command: LineCommand?) throws {
        #expect(try LineCommand.parse(line, in: Self.two) == command)
    }

    @Test(arguments: [
        ("add", "there is no title; use add TITLE"),
        ("add \u{7}", "there is no title; use add TITLE"),
        ("fly", "no command \"fly\"; use add TITLE, toggle N, delete N, clear or quit"),
        ("quit now", "no command \"quit now\"; use add TITLE, toggle N, delete N, clear or quit"),
        ("toggle", "no entry \"\"; use toggle N with N from 1 to 2"),
        ("toggle 0", "no entry \"0\"; use toggle N with N from 1 to 2"),
        ("delete 3", "no entry \"3\"; use delete N with N from 1 to 2"),
        ("delete 1 2", "no entry \"1 2\"; use delete N with N from 1 to 2"),
        ("delete -9223372036854775808", "no entry \"-9223372036854775808\"; use delete N with N from 1 to 2"),
    ])
    func mistakesSayWhatToDo(line: String, text: String) {
        let error = #expect(throws: ProgramError.self) { try LineCommand.parse(line, in: Self.two) }
        #expect(error?.description == text)
    }

    @Test func anEmptyOrFullListSaysSo() {
        #expect(throws: ProgramError("the list is empty; there is nothing to delete")) {
            try LineCommand.parse("delete 1", in: TodosViewState())
        }
        #expect(throws: ProgramError.full) { try LineCommand.parse("add x", in: TodosViewState(isFull: true)) }
    }

    @Test func theListAsLines() {
        let view = TodosViewState(
            todos: [Todo(id: 7, title: "a"), Todo(id: 9, title: "b", isDone: true)],
            doneCount: 1
        )
        #expect(TodoText.lines(view) == ["1 [ ] a", "2 [x] b", "1 open, 1 done"])
        #expect(TodoText.lines(TodosViewState()) == ["0 open, 0 done"])
    }

    @Test func linesMayBeSplitAnywhere() {
        var splitter = LineSplitter()
        #expect("add é\n\nquit\nx".utf8.flatMap { splitter.feed([$0]) } == ["add é", "", "quit"])
        #expect(splitter.end() == "x")
        #expect(splitter.end() == nil)
    }

    @Test func aLineHasABound() {
        var splitter = LineSplitter()
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: LineSplitter.longestLine + 5)
        #expect(splitter.feed(bytes + [0x0A] + "y\n".utf8).map(\.count) == [LineSplitter.longestLine, 1])
    }
}
