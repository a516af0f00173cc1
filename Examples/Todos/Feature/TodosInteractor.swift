import LatticeCore

/// Changes the list. An action for an entry that is gone, or an entry above the maximum, changes nothing.
struct TodosInteractor: Interactor, Sendable {
    typealias DomainState = TodosState
    typealias Action = TodosAction

    var body: some InteractorOf<Self> {
        Interact { state, action in
            switch action {
            case .add(let title): Self.add(title, to: &state)
            case .toggle(let id):
                for index in state.todos.indices where state.todos[index].id == id {
                    state.todos[index].isDone.toggle()
                }
            case .delete(let id): state.todos.removeAll { $0.id == id }
            case .clearDone: state.todos.removeAll(where: \.isDone)
            }
            return .none
        }
    }

    private static func add(_ text: String, to state: inout TodosState) {
        // The title is also checked here, because any program of this user can send actions.
        guard state.todos.count < TodosState.capacity, let title = Todo.title(from: text) else { return }
        state.todos.append(Todo(id: state.nextID, title: title))
        state.nextID += 1
    }
}
