/// Functions that show the list as plain lines.
enum TodoText {
    static func box(_ todo: Todo) -> String { todo.isDone ? "[x]" : "[ ]" }

    /// Returns a line for each entry with its number for commands, and a last line that sums up.
    static func lines(_ view: TodosViewState) -> [String] {
        view.todos.enumerated().map { "\($0 + 1) \(box($1)) \($1.title)" } + [view.summary]
    }
}
