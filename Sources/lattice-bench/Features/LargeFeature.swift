import LatticeCore

/// A feature with a large array. Each action changes one element, or none.
enum LargeFeature {
    static let elements = 100_000

    struct Action: Sendable {
        let index: Int
        let value: Int
    }

    struct State: Equatable, Sendable {
        var numbers = Array(repeating: 0, count: elements)
        var last = 0
        /// The address of the elements.
        var place = 0
        /// The number of times that the elements were found at another address.
        var moves = 0

        mutating func notePlace() {
            let found = numbers.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
            if found != place { moves += 1 }
            place = found
        }
    }

    /// The view state. It does not contain the array, because sharing it would make each change copy it.
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

    /// The number of elements of 10 MB that are shown unchanged.
    static let shownElements = 10_000_000 / MemoryLayout<Int>.stride

    /// A feature without a reducer. The action nil changes nothing.
    static var shownAsItIs: Feature<Action?, [Int], [Int]> {
        Feature(
            interactor: Interact<[Int], Action?> { numbers, action in
                if let action { numbers[action.index] = action.value }
                return .none
            }
        )
    }
}
