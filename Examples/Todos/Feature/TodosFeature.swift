import LatticeCore

/// A todo list that several terminals share; it lives in a worker.
enum TodosFeature: HostedFeature {
    static let identifier = "todos"
    static func initialDomainState(in context: HostContext) -> TodosState { TodosState() }

    static func interactor(in context: HostContext) -> TodosInteractor { TodosInteractor() }
    static func reducer() -> TodosReducer { TodosReducer() }

    typealias Action = TodosAction
    typealias DomainState = TodosState
    typealias ViewState = TodosViewState
}

/// What people do with the list. Entries are named by their identifiers: positions may have changed meanwhile.
enum TodosAction: Codable, Equatable, Sendable {
    case add(title: String)
    case toggle(Todo.ID)
    case delete(Todo.ID)
    case clearDone
}

/// The list, as it is handed from worker to worker.
struct TodosState: Codable, Equatable, Sendable {
    /// More than anybody can read; it keeps the state small enough to be sent at each change.
    static let capacity = 1_000

    var todos: [Todo] = []
    var nextID = 1
}

/// What every terminal shows of the list.
struct TodosViewState: Codable, Equatable, Sendable {
    var todos: [Todo] = []
    var doneCount = 0
    /// Whether the list takes no more entries.
    var isFull = false

    /// "2 open, 1 done".
    var summary: String { "\(todos.count - doneCount) open, \(doneCount) done" }
}
