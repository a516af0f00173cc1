import ExampleSupport

// The errors of lines and keys.
extension ProgramError {
    static let noTitle = ProgramError("there is no title; use add TITLE")
    static let full = ProgramError("the list has \(TodosState.capacity) entries and takes no more; delete some first")

    static func unknownCommand(_ line: String) -> ProgramError {
        let shown = Todo.title(from: line) ?? ""
        return ProgramError("no command \"\(shown)\"; use add TITLE, toggle N, delete N, clear or quit")
    }

    static func noEntry(_ number: String, _ command: String, count: Int) -> ProgramError {
        let shown = Todo.title(from: number) ?? ""
        guard count > 0 else { return ProgramError("the list is empty; there is nothing to \(command)") }
        return ProgramError("no entry \"\(shown)\"; use \(command) N with N from 1 to \(count)")
    }
}
