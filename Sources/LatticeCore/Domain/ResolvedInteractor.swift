/// An interactor as a runtime keeps it: one function, behind which every `body` is built at most once.
///
/// Belongs to the runtime that resolved it, and to that runtime's isolation.
public struct _ResolvedInteractor<DomainState: Sendable, Action: Sendable> {
    let handler: (inout DomainState, Action) -> Emission<Action>

    public init(_ handler: @escaping (inout DomainState, Action) -> Emission<Action>) {
        self.handler = handler
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
        Self { [handler] state, action in
            let emission = handler(&state, action)
            if case .none = emission.kind { return emission }
            return transform(emission, action)
        }
    }
}
