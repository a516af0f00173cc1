/// What people do with the list. Entries are named by their identifiers: positions may have changed meanwhile.
enum TodosAction: Codable, Equatable, Sendable {
    case add(title: String)
    case toggle(Todo.ID)
    case delete(Todo.ID)
    case clearDone
}
