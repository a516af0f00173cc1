/// What a view model knows of an observable state whose type it learns at run time.
struct ObservableStateType<State> {
    /// What a state is to the one that was shown before.
    enum Relation {
        /// The same, apart from properties whose observers hear by themselves.
        case same
        /// One with the same parts, which was made anew.
        case replacement
        /// Another one: also in what is not observed by itself.
        case other
    }

    private let takePlace: (inout State, State, inout _ObservationChanges) -> Bool
    private let isNamedAlike: (State, State) -> Bool

    /// Nil for a state that is observed as a whole.
    static func make() -> ObservableStateType? {
        guard let type = State.self as? any ObservableState.Type else { return nil }
        return make(type) as? Self
    }

    private static func make<S: ObservableState>(_ type: S.Type) -> Any {
        ObservableStateType<S>(takePlace: { $0._$takePlace(of: $1, &$2) }, isNamedAlike: { $0._$id == $1._$id })
    }

    /// Gives the first state observers.
    func place(_ state: inout State) {
        var changes = _ObservationChanges(isPlacing: true)
        _ = takePlace(&state, state, &changes)
    }

    func settle(_ new: inout State, over shown: State, _ changes: inout _ObservationChanges) -> Relation {
        guard takePlace(&new, shown, &changes) else { return .other }
        return isNamedAlike(new, shown) ? .same : .replacement
    }
}
