/// The list as plain lines.
enum TodoText {
    static func box(_ todo: Todo) -> String { todo.isDone ? "[x]" : "[ ]" }

    /// A line for each entry, with the number that commands take, and one that sums up and ends the list.
    static func lines(_ view: TodosViewState) -> [String] {
        view.todos.enumerated().map { "\($0 + 1) \(box($1)) \($1.title)" } + [view.summary]
    }
}
