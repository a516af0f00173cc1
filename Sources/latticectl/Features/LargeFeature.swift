import LatticeCore

/// A large array of which each action changes one element, or none.
enum LargeFeature {
    static let elements = 100_000

    struct Action: Sendable {
        let index: Int
        let value: Int
    }

    struct State: Equatable, Sendable {
        var numbers = Array(repeating: 0, count: elements)
        var last = 0
        /// Where the elements are, and how often they have been found elsewhere.
        var place = 0
        var moves = 0

        mutating func notePlace() {
            let found = numbers.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
            if found != place { moves += 1 }
            place = found
        }
    }

    /// Shows nothing of the array itself, else the view state would share it, and each change copy it.
    struct Shown: Equatable, Sendable {
        var last = 0
        var moves = 0
    }

    static var feature: Feature<Action, State, Shown> {
        Feature(
            interactor: Interact<State, Action> { state, action in
                state.numbers[action.index] = action.value
                state.last = action.value
                state.notePlace()
                return .none
            },
            reducer: BuildViewState<State, Shown>(initial: { _ in Shown() }) { state, shown in
                shown.last = state.last
                shown.moves = state.moves
            }
        )
    }

    /// Elements of 10 MB that are shown as they are.
    static let shownElements = 10_000_000 / MemoryLayout<Int>.stride

    /// Without a reducer. A nil changes nothing.
    static var shownAsItIs: Feature<Action?, [Int], [Int]> {
        Feature(
            interactor: Interact<[Int], Action?> { numbers, action in
                if let action { numbers[action.index] = action.value }
                return .none
            }
        )
    }
}
