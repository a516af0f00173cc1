import ExampleSupport
import LatticeCore
import Testing

@testable import TodosProgram

@Suite struct ScreenTests {
    private static let serving = HostStatus.serving(.init(incarnation: 1, processID: 2))

    private func lines(
        _ view: TodosViewState,
        keys: String = "",
        host: HostStatus = serving,
        columns: Int = 80,
        rows: Int = 24
    ) -> [String] {
        var interface = Interface()
        var parser = KeyParser()
        interface.follow(view)
        for key in parser.feed(keys.utf8) { _ = interface.handle(key, in: view) }
        return Screen(view, interface, host: host, place: "/s", size: .init(columns: columns, rows: rows)).lines
    }

    private func view(_ count: Int) -> TodosViewState {
        TodosViewState(todos: (0..<count).map { Todo(id: $0, title: "entry \($0)", isDone: $0 == 1) }, doneCount: 1)
    }

    @Test func anEmptyListSaysWhatToDo() {
        #expect(
            lines(TodosViewState()) == [
                "todos: 0 open, 0 done  /s", "  nothing to do; press a to add something", Screen.help,
            ]
        )
    }

    @Test func entriesAndTheCursor() {
        #expect(
            lines(view(3), keys: "j") == [
                "todos: 2 open, 1 done  /s", "  [ ] entry 0", "> [x] entry 1", "  [ ] entry 2", Screen.help,
            ]
        )
    }

    @Test(arguments: [
        ("", ["> [ ] entry 0", "  [x] entry 1", "  [ ] entry 2"]),
        ("jj", ["  [x] entry 1", "> [ ] entry 2", "  [ ] entry 3"]),
        ("jjjj", ["  [ ] entry 3", "> [ ] entry 4", "  [ ] entry 5"]),
        ("jjjjj", ["  [ ] entry 3", "  [ ] entry 4", "> [ ] entry 5"]),
    ])
    func theCursorIsAlwaysSeen(keys: String, shown: [String]) {
        #expect(lines(view(6), keys: keys, rows: 5).dropFirst().dropLast() == shown[...])
    }

    @Test(arguments: 1...30, [1, 2, 3, 4, 24])
    func everySizeIsKept(columns: Int, rows: Int) {
        for keys in ["", "jjj", "aa long title of many words"] {
            let lines = lines(view(6), keys: keys, columns: columns, rows: rows)
            #expect(lines.count <= rows)
            #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
        }
    }

    @Test func theEndOfTheTypedTextIsVisible() {
        #expect(lines(view(1), keys: "abuy milk", columns: 20).last == "add: buy milk_")
        #expect(lines(view(1), keys: "abuy milk and honey", columns: 20).last == "add: milk and honey_")
    }

    @Test(
        arguments: [
            (.connecting, "connecting"),
            (.restarting(.init(attempt: 1, delay: .zero, cause: .disconnected)), "the worker is started again"),
            (.draining, "the worker is stopping"),
            (.failed(HostFailure(reason: "x")), "the worker is gone"),
            (serving, "/s"),
        ] as [(HostStatus, String)]
    )
    func theHostIsShown(host: HostStatus, text: String) {
        #expect(lines(TodosViewState(), host: host)[0] == "todos: 0 open, 0 done  \(text)")
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("abcd", 0, ""), ("牛奶", 4, "牛奶"),
        ("牛奶", 3, "牛…"), ("牛奶", 2, "…"), ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"), ("❤️x", 2, "…"),
        ("❤️x", 3, "❤️x"), ("🥛🥛", 3, "🥛…"),
    ])
    func textIsCutToItsWidth(text: String, columns: Int, cut: String) {
        #expect(TextWidth.cut(text, to: columns) == cut)
    }
}
