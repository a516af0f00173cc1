/// An interactor as a runtime keeps it: one function, behind which every `body` is built at most once.
///
/// Belongs to the runtime that resolved it, and to that runtime's isolation.
public struct _ResolvedInteractor<DomainState: Sendable, Action: Sendable> {
    /// Looks for children whose part of the state is gone; the state is nil if it is gone itself.
    typealias Sweep = (DomainState?, inout ScopeSweep) -> Void

    /// Whether it keeps something now.
    typealias Keeping = (KeptPart) -> Bool

    let handler: (inout DomainState, Action) -> Emission<Action>
    /// Nil if there are no such children.
    let sweep: Sweep?
    /// Nil if it never keeps anything of the actions that it has handled.
    let keeps: Keeping?

    public init(_ handler: @escaping (inout DomainState, Action) -> Emission<Action>) {
        self.init(sweep: nil, keeps: nil, handler)
    }

    init(
        sweep: Sweep?,
        keeps: Keeping?,
        _ handler: @escaping (inout DomainState, Action) -> Emission<Action>
    ) {
        self.handler = handler
        self.sweep = sweep
        self.keeps = keeps
    }

    /// An interactor that has no body to keep: each action goes straight to its `interact`.
    init<I: Interactor<DomainState, Action>>(calling interactor: I) {
        // What an object keeps to itself nobody can ask it.
        let keeps: Keeping? = I.self is any AnyObject.Type ? { $0 != .elements } : nil
        self.init(sweep: nil, keeps: keeps) { state, action in interactor.interact(state: &state, action: action) }
    }

    public func interact(state: inout DomainState, action: Action) -> Emission<Action> {
        handler(&state, action)
    }

    /// The same interactor, with `transform` between it and what it emits; `none` passes by.
    /// - Parameter isInUse: whether `transform` keeps something of what it was called with.
    func mappingEmissions(
        isInUse: @escaping () -> Bool,
        _ transform: @escaping (Emission<Action>, Action) -> Emission<Action>
    ) -> Self {
        let keeping: Keeping = { [keeps] part in
            switch part {
            case .later: true
            case .anything: isInUse() || keeps?(part) == true
            case .elements: keeps?(part) == true
            }
        }
        return Self(sweep: sweep, keeps: keeping) { [handler] state, action in
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

    /// Whether one of several interactors on the same state keeps something.
    static func keeping(of interactors: [Self]) -> Keeping? {
        let all = interactors.compactMap(\.keeps)
        guard all.count > 1 else { return all.first }
        return { part in all.contains { $0(part) } }
    }
}

/// What an interactor may keep of the actions that it has handled.
enum KeptPart {
    /// Also what a debounce or a throttle keeps, and what an object keeps to itself.
    case anything
    /// What it may come to keep when effects that it asked for start.
    case later
    /// Interactors of elements which keep something, and are to go with their elements.
    case elements
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
        return _ResolvedInteractor<State, Carrier>(sweep: sweep, keeps: keeps) { [handler] state, carrier in
            let emission = handler(&state[keyPath: path], action(carrier))
            handled(&state, carrier)
            return emission.map { embed($0, carrier) }
        }
    }
}
