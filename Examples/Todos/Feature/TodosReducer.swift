import LatticeCore

/// Derives what is shown from the list.
struct TodosReducer: ViewStateReducer, Sendable {
    typealias DomainState = TodosState
    typealias ViewState = TodosViewState

    func initialViewState(for domainState: TodosState) -> TodosViewState { TodosViewState() }

    var body: some ViewStateReducerOf<Self> {
        BuildViewState(initial: { _ in TodosViewState() }) { state, view in
            view.todos = state.todos
            view.doneCount = state.todos.count(where: \.isDone)
            view.isFull = state.todos.count >= TodosState.capacity
        }
    }
}
