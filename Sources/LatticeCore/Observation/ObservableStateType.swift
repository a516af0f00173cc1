/// The operations of an observable state whose type is determined at run time.
struct ObservableStateType<State> {
    /// The relation of a state to the one that was shown before.
    enum Relation {
        /// The state is the same one. Only properties with observers of their own may differ.
        case same
        /// The state has the same parts but is a newly created value.
        case replacement
        /// The state is another one: it also differs in something that has no observers of its own.
        case other
    }

    private let takePlace: (inout State, State, inout _ObservationChanges) -> Bool
    private let isNamedAlike: (State, State) -> Bool

    /// Returns the operations, or nil if the state is observed as a whole.
    static func make() -> ObservableStateType? {
        guard let type = State.self as? any ObservableState.Type else { return nil }
        return make(type) as? Self
    }

    private static func make<S: ObservableState>(_ type: S.Type) -> Any {
        ObservableStateType<S>(takePlace: { $0._$takePlace(of: $1, &$2) }, isNamedAlike: { $0._$id == $1._$id })
    }

    /// Gives the first state its observers.
    func place(_ state: inout State) {
        var changes = _ObservationChanges(isPlacing: true)
        _ = takePlace(&state, state, &changes)
    }

    func settle(_ new: inout State, over shown: State, _ changes: inout _ObservationChanges) -> Relation {
        guard takePlace(&new, shown, &changes) else { return .other }
        return isNamedAlike(new, shown) ? .same : .replacement
    }
}
