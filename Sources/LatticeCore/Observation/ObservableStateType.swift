/// What a view model knows of an observable state whose type it learns at run time.
final class ObservableStateType<State> {
    private let takePlace: (inout State, State, inout _ObservationChanges) -> Bool

    private init(takePlace: @escaping (inout State, State, inout _ObservationChanges) -> Bool) {
        self.takePlace = takePlace
    }

    /// Nil for a state that is observed as a whole.
    static func make() -> ObservableStateType? {
        guard let type = State.self as? any ObservableState.Type else { return nil }
        return make(type) as? Self
    }

    private static func make<S: ObservableState>(_ type: S.Type) -> AnyObject {
        ObservableStateType<S> { $0._$takePlace(of: $1, &$2) }
    }

    /// Gives the first state observers.
    func place(_ state: inout State) {
        var changes = _ObservationChanges(isPlacing: true)
        _ = takePlace(&state, state, &changes)
    }

    /// - Returns: Whether observers of the whole need not hear.
    func settle(_ new: inout State, over shown: State, _ changes: inout _ObservationChanges) -> Bool {
        takePlace(&new, shown, &changes)
    }
}
