import LatticeCore
import Testing

@testable import TodosProgram

/// The list, in one process.
@MainActor @Suite struct TodosFeatureTests {
    private let viewModel = ViewModel(
        initialDomainState: TodosState(),
        feature: Feature(interactor: TodosInteractor(), reducer: TodosReducer())
    )

    private func send(_ actions: TodosAction...) -> TodosViewState {
        for action in actions { viewModel.sendViewEvent(action) }
        return viewModel.viewState
    }

    @Test func entriesComeAndGo() {
        #expect(send(.add(title: "a"), .add(title: "b")).todos == [Todo(id: 1, title: "a"), Todo(id: 2, title: "b")])
        #expect(send(.toggle(2)).summary == "1 open, 1 done")
        #expect(viewModel.viewState.todos.map(\.isDone) == [false, true])
        #expect(send(.toggle(2)).summary == "2 open, 0 done")
        #expect(send(.delete(1)).todos == [Todo(id: 2, title: "b")])
        #expect(send(.toggle(2), .add(title: "c"), .clearDone).todos == [Todo(id: 3, title: "c")])
    }

    @Test func anEntryThatIsGoneChangesNothing() {
        let before = send(.add(title: "a"), .delete(1), .add(title: "b"))
        #expect(before.todos == [Todo(id: 2, title: "b")])
        #expect(send(.toggle(1), .delete(1)) == before)
    }

    @Test func theListHasACapacity() {
        for number in 1..<TodosState.capacity { viewModel.sendViewEvent(.add(title: "\(number)")) }
        #expect(!viewModel.viewState.isFull)
        let full = send(.add(title: "last"))
        #expect(full.isFull)
        #expect(full.todos.count == TodosState.capacity)
        #expect(send(.add(title: "one too many")) == full)
        #expect(!send(.delete(1)).isFull)
    }

    @Test(arguments: [
        ("milk", "milk"),
        ("  milk \t and\u{1B}[2Jhoney\r\n", "milk and [2Jhoney"),
        ("", nil),
        (" \n\u{7}", nil),
        (String(repeating: "x", count: 201), String(repeating: "x", count: 200)),
        // A character of many scalars has no room of its own.
        ("e" + String(repeating: "\u{301}", count: 500), "e" + String(repeating: "\u{301}", count: 199)),
    ])
    func titlesAreMadeShowable(text: String, title: String?) {
        #expect(Todo.title(from: text) == title)
        let added = title.map { [Todo(id: 1, title: $0)] } ?? []
        #expect(send(.add(title: text)).todos == added)
    }
}
