/// What every terminal shows of the list.
struct TodosViewState: Codable, Equatable, Sendable {
    var todos: [Todo] = []
    var doneCount = 0
    /// Whether the list takes no more entries.
    var isFull = false

    /// "2 open, 1 done".
    var summary: String { "\(todos.count - doneCount) open, \(doneCount) done" }
}
