import ExampleSupport

/// A command that was read as a line, without a terminal.
enum LineCommand: Equatable, Sendable {
    case send(TodosAction)
    case quit

    /// Parses a line.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - view: The list that was printed last. Numbers refer to it.
    /// - Returns: The command, or nil for an empty line.
    static func parse(_ line: String, in view: TodosViewState) throws(ProgramError) -> LineCommand? {
        let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
        guard let word = parts.first else { return nil }
        let rest = parts.dropFirst().first ?? ""
        switch word {
        case "add":
            guard let title = Todo.title(from: rest) else { throw .noTitle }
            guard !view.isFull else { throw .full }
            return .send(.add(title: title))
        case "toggle": return .send(.toggle(try id(rest, word, view)))
        case "delete": return .send(.delete(try id(rest, word, view)))
        case "clear" where rest.isEmpty: return .send(.clearDone)
        case "quit" where rest.isEmpty: return .quit
        default: throw .unknownCommand(line)
        }
    }

    private static func id(_ text: String, _ word: String, _ view: TodosViewState) throws(ProgramError) -> Todo.ID {
        let digits = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard let number = Int(digits), number >= 1, number <= view.todos.count else {
            throw .noEntry(digits, word, count: view.todos.count)
        }
        return view.todos[number - 1].id
    }
}
