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
