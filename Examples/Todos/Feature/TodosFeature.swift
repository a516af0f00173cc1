import LatticeCore

/// The feature with a todo list that several terminals share. It lives in a worker.
enum TodosFeature: HostedFeature {
    static let identifier = "todos"
    static func initialDomainState(in context: HostContext) -> TodosState { TodosState() }

    static func interactor(in context: HostContext) -> TodosInteractor { TodosInteractor() }
    static func reducer() -> TodosReducer { TodosReducer() }

    typealias Action = TodosAction
    typealias DomainState = TodosState
    typealias ViewState = TodosViewState
}

/// The user's actions. Entries are named by their identifiers, because their positions may have changed meanwhile.
enum TodosAction: Codable, Equatable, Sendable {
    case add(title: String)
    case toggle(Todo.ID)
    case delete(Todo.ID)
    case clearDone
}

/// The list, as one worker passes it to the next.
struct TodosState: Codable, Equatable, Sendable {
    /// The maximum number of entries. It keeps the state small enough to be sent at each change.
    static let capacity = 1_000

    var todos: [Todo] = []
    var nextID = 1
}

/// The part of the list that every terminal shows.
struct TodosViewState: Codable, Equatable, Sendable {
    var todos: [Todo] = []
    var doneCount = 0
    /// A Boolean value that indicates whether the list takes no more entries.
    var isFull = false

    /// A text such as "2 open, 1 done".
    var summary: String { "\(todos.count - doneCount) open, \(doneCount) done" }
}
