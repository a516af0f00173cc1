import ExampleSupport
import Testing

@testable import TodosProgram

@Suite struct InterfaceTests {
    private static func view(_ ids: Int...) -> TodosViewState {
        TodosViewState(todos: ids.map { Todo(id: $0, title: "entry \($0)") })
    }

    private static let three = view(1, 2, 3)

    /// Presses the keys, and returns the request of the last one.
    private func press(_ keys: String, _ interface: inout Interface, in view: TodosViewState) -> Interface.Request {
        var parser = KeyParser()
        let keys = parser.feed(keys.utf8) + parser.pause()
        return keys.map { interface.handle($0, in: view) }.last ?? .nothing
    }

    @Test(arguments: [
        ("", 0), ("j", 1), ("jj", 2), ("jjj", 2), ("k", 0), ("jjk", 1), ("\u{1B}[B\u{1B}[B", 2), ("jj\u{1B}[A", 1),
    ])
    func theCursorStaysInTheList(keys: String, cursor: Int) {
        var interface = Interface()
        #expect(press(keys, &interface, in: Self.three) == .nothing)
        #expect(interface.cursor == cursor)
    }

    @Test(
        arguments: [
            (" ", .send(.toggle(1))), ("j ", .send(.toggle(2))), ("jjd", .send(.delete(3))), ("c", .send(.clearDone)),
            ("q", .quit), ("\u{3}", .quit), ("x", .nothing), ("\r", .nothing), ("\u{1B}", .nothing),
            ("abuy\r", .send(.add(title: "buy"))), ("a q d \r", .send(.add(title: "q d"))),
            ("abuyx\u{7F}\r", .send(.add(title: "buy"))), ("a\u{7F}\r", .nothing), ("a  \r", .nothing),
            ("abuy\u{1B}", .nothing), ("a\u{3}", .quit), ("aj\u{1B}[B\u{1B}\u{1B}[B ", .send(.toggle(2))),
        ] as [(String, Interface.Request)]
    )
    func keysAsk(keys: String, request: Interface.Request) {
        var interface = Interface()
        #expect(press(keys, &interface, in: Self.three) == request)
    }

    @Test(arguments: [" ", "d", "jjd"])
    func anEmptyListHasNothingToChange(keys: String) {
        var interface = Interface()
        #expect(press(keys, &interface, in: TodosViewState()) == .nothing)
        #expect(interface.cursor == 0)
    }

    @Test(arguments: [
        // Its own entry moved, went in the middle, went at the end, everything went.
        (view(2, 3), 0), (view(0, 1, 2), 2), (view(1, 3), 1), (view(1), 0), (view(), 0),
    ])
    func theCursorFollowsItsEntry(after: TodosViewState, cursor: Int) {
        var interface = Interface()
        _ = press("j", &interface, in: Self.three)
        interface.follow(after)
        #expect(interface.cursor == cursor)
    }

    @Test func aFullListTakesNoTitle() {
        let text = "the list has 1000 entries and takes no more; delete some first"
        var full = Self.three
        full.isFull = true
        var interface = Interface()
        #expect(press("a", &interface, in: full) == .nothing)
        #expect(interface.mode == .list)
        #expect(interface.notice == text)
        // It became full while the title was typed.
        #expect(press("abuy", &interface, in: Self.three) == .nothing)
        #expect(interface.notice == "")
        #expect(press("\r", &interface, in: full) == .nothing)
        #expect(interface.notice == text)
    }

    @Test func aTitleHasABound() {
        var interface = Interface()
        _ = press("a" + String(repeating: "x", count: Todo.maximumTitle + 1), &interface, in: Self.three)
        #expect(interface.mode == .adding(String(repeating: "x", count: Todo.maximumTitle)))
    }
}
