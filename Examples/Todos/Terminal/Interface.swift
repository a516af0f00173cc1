import ExampleSupport

/// The part of the interface that belongs to one terminal: the cursor, the text being typed, and a notice. It is a
/// value without side effects.
struct Interface: Equatable, Sendable {
    enum Mode: Equatable, Sendable {
        case list
        case adding(String)
    }

    /// The request of a key.
    enum Request: Equatable, Sendable {
        case nothing
        case send(TodosAction)
        case quit
    }

    private(set) var mode = Mode.list
    /// The index of the cursor, or 0 in an empty list.
    private(set) var cursor = 0
    /// The entry under the cursor. The cursor stays with it when other entries are added and removed.
    private var selected: Todo.ID?
    /// A notice that is shown below the list until the next key.
    var notice = ""

    /// Moves the cursor to the place of its entry, or to the following entry if its own is gone.
    mutating func follow(_ view: TodosViewState) {
        let found = view.todos.firstIndex { $0.id == selected }
        move(to: found ?? cursor, in: view)
    }

    mutating func handle(_ key: Key, in view: TodosViewState) -> Request {
        follow(view)
        notice = ""
        if key == .interrupt { return .quit }
        return switch mode {
        case .list: handleInList(key, view)
        case .adding(let title): handle(key, adding: title, view)
        }
    }

    private mutating func handleInList(_ key: Key, _ view: TodosViewState) -> Request {
        switch key {
        case .up, .text("k"): move(to: cursor - 1, in: view)
        case .down, .text("j"): move(to: cursor + 1, in: view)
        case .text("a"): beginAdding(view)
        case .text("c"): return .send(.clearDone)
        case .text("q"): return .quit
        case .text(" "): return selected.map { .send(.toggle($0)) } ?? .nothing
        case .text("d"): return selected.map { .send(.delete($0)) } ?? .nothing
        default: break
        }
        return .nothing
    }

    private mutating func beginAdding(_ view: TodosViewState) {
        if view.isFull {
            notice = ProgramError.full.description
        } else {
            mode = .adding("")
        }
    }

    private mutating func handle(_ key: Key, adding title: String, _ view: TodosViewState) -> Request {
        switch key {
        case .text(let scalar):
            var longer = title
            longer.unicodeScalars.append(scalar)
            if longer.unicodeScalars.count <= Todo.maximumTitle { mode = .adding(longer) }
        case .backspace: mode = .adding(String(title.dropLast()))
        case .escape: mode = .list
        case .enter:
            mode = .list
            guard let title = Todo.title(from: title) else { return .nothing }
            guard !view.isFull else {
                notice = ProgramError.full.description
                return .nothing
            }
            return .send(.add(title: title))
        default: break
        }
        return .nothing
    }

    private mutating func move(to index: Int, in view: TodosViewState) {
        cursor = max(min(index, view.todos.count - 1), 0)
        selected = view.todos.indices.contains(cursor) ? view.todos[cursor].id : nil
    }
}
