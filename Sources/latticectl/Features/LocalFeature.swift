import LatticeCore

/// A counter in this process, with and without an effect.
enum LocalFeature {
    enum Action: Sendable {
        case add
        case load(Int)
        case loaded(Int)
    }

    struct State: Equatable, Sendable {
        var count = 0
    }

    struct Shown: Equatable, Sendable {
        var count = 0
        var isEven = true
    }

    static var feature: Feature<Action, State, Shown> {
        Feature(
            interactor: Interact<State, Action> { state, action in
                switch action {
                case .add:
                    state.count += 1
                    return .none
                case .load(let count):
                    return .perform { .loaded(count) }
                case .loaded(let count):
                    state.count = count
                    return .none
                }
            },
            reducer: BuildViewState<State, Shown>(initial: { _ in Shown() }) { state, shown in
                shown.count = state.count
                shown.isEven = state.count.isMultiple(of: 2)
            }
        )
    }
}
