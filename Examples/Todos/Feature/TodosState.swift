/// The list, as it is handed from worker to worker.
struct TodosState: Codable, Equatable, Sendable {
    /// More than anybody can read; it keeps the state small enough to be sent at each change.
    static let capacity = 1_000

    var todos: [Todo] = []
    var nextID = 1
}
