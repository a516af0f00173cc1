extension _ResolvedInteractor {
    /// The same interactor on a state and an action that carry these and more.
    ///
    /// - Parameters:
    ///   - state: the interactor's state in the one that carries it.
    ///   - action: takes the interactor's action out of one that carries it.
    ///   - embed: makes an action that carries an emitted one; it also gets the action that was being handled.
    ///   - handled: called when the interactor has handled an action.
    package func carried<State: Sendable, Carrier: Sendable>(
        state path: WritableKeyPath<State, DomainState>,
        action: @escaping @Sendable (Carrier) -> Action,
        embed: @escaping @Sendable (Action, _ handled: Carrier) -> Carrier,
        handled: @escaping (inout State, Carrier) -> Void
    ) -> _ResolvedInteractor<State, Carrier> {
        let sweep = sweep.map { look in
            { (state: State?, sweep: inout ScopeSweep) in look(state?[keyPath: path], &sweep) }
        }
        return _ResolvedInteractor<State, Carrier>(sweep: sweep) { [handler] state, carrier in
            let emission = handler(&state[keyPath: path], action(carrier))
            handled(&state, carrier)
            return emission.map { embed($0, carrier) }
        }
    }
}
