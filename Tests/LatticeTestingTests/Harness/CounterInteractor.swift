import LatticeCore

/// Counts, in the ways that interactors have.
struct CounterInteractor: Interactor, Sendable {
    struct State: Sendable, Equatable {
        var count = 0
        var isLoading = false
    }

    enum Action: Sendable, Equatable {
        case increment
        case reset
        case load
        case loaded(Int)
        case observe
        case add(Int)
        /// Adds synchronously.
        case twice(Int)
        case wait
        case nothing
    }

    typealias DomainState = State

    var load: @Sendable () async -> Int? = { 42 }
    var numbers: @Sendable () -> AsyncStream<Int> = { AsyncStream { $0.finish() } }

    var body: some InteractorOf<Self> {
        Interact { state, action in
            switch action {
            case .increment: state.count += 1
            case .reset: state.count = 0
            case .load:
                state.isLoading = true
                return .perform { [load] in await load().map(Action.loaded) }
            case .loaded(let count):
                state.isLoading = false
                state.count = count
            case .observe:
                return .observe { [numbers] in
                    AsyncStream { continuation in
                        let task = Task {
                            for await number in numbers() { continuation.yield(.add(number)) }
                            continuation.finish()
                        }
                        continuation.onTermination = { _ in task.cancel() }
                    }
                }
            case .add(let number): state.count += number
            case .twice(let number):
                state.count += number
                return .action(.add(number))
            case .wait:
                return .perform {
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    return nil
                }
            case .nothing: break
            }
            return .none
        }
    }
}
