/// What went wrong, in a sentence that says what to do.
struct TodosError: Error, Equatable, CustomStringConvertible {
    /// Wrong use.
    static let exitCode: Int32 = 2

    let description: String

    init(_ description: String) {
        self.description = description
    }

    static let noTitle = TodosError("there is no title; use add TITLE")
    static let full = TodosError("the list has \(TodosState.capacity) entries and takes no more; delete some first")

    static func unknownCommand(_ line: String) -> TodosError {
        let shown = Todo.title(from: line) ?? ""
        return TodosError("no command \"\(shown)\"; use add TITLE, toggle N, delete N, clear or quit")
    }

    static func noEntry(_ number: String, _ command: String, count: Int) -> TodosError {
        let shown = Todo.title(from: number) ?? ""
        guard count > 0 else { return TodosError("the list is empty; there is nothing to \(command)") }
        return TodosError("no entry \"\(shown)\"; use \(command) N with N from 1 to \(count)")
    }
}
