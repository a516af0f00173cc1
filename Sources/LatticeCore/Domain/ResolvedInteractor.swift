/// An interactor as a runtime keeps it: one function, behind which every `body` is built at most once.
///
/// Belongs to the runtime that resolved it, and to that runtime's isolation.
public struct _ResolvedInteractor<DomainState: Sendable, Action: Sendable> {
    /// Looks for children whose part of the state is gone; the state is nil if it is gone itself.
    typealias Sweep = (DomainState?, inout ScopeSweep) -> Void

    let handler: (inout DomainState, Action) -> Emission<Action>
    /// Nil if there are no such children.
    let sweep: Sweep?

    public init(_ handler: @escaping (inout DomainState, Action) -> Emission<Action>) {
        self.init(sweep: nil, handler)
    }

    init(sweep: Sweep?, _ handler: @escaping (inout DomainState, Action) -> Emission<Action>) {
        self.handler = handler
        self.sweep = sweep
    }

    /// An interactor that has nothing to keep: each action goes straight to its `interact`.
    init(calling interactor: some Interactor<DomainState, Action>) {
        self.init { state, action in interactor.interact(state: &state, action: action) }
    }

    public func interact(state: inout DomainState, action: Action) -> Emission<Action> {
        handler(&state, action)
    }

    /// The same interactor, with `transform` between it and what it emits; `none` passes by.
    func mappingEmissions(
        _ transform: @escaping (Emission<Action>, Action) -> Emission<Action>
    ) -> Self {
        Self(sweep: sweep) { [handler] state, action in
            let emission = handler(&state, action)
            if emission.isNone { return emission }
            return transform(emission, action)
        }
    }

    /// Looks for children that are gone in all of several interactors on the same state.
    static func sweep(of interactors: [Self]) -> Sweep? {
        let sweeps = interactors.compactMap(\.sweep)
        guard sweeps.count > 1 else { return sweeps.first }
        return { state, sweep in
            for look in sweeps { look(state, &sweep) }
        }
    }
}

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
