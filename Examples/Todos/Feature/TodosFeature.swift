import LatticeCore

/// A todo list that several terminals share; it lives in a worker.
enum TodosFeature: HostedFeature {
    static let identifier = "todos"
    static var initialDomainState: TodosState { TodosState() }

    static func interactor() -> TodosInteractor { TodosInteractor() }
    static func reducer() -> TodosReducer { TodosReducer() }

    typealias Action = TodosAction
    typealias DomainState = TodosState
    typealias ViewState = TodosViewState
}
