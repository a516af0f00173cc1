extension Interactors {
    /// Two interactors on the same state: the second sees what the first changed.
    public struct Merge<I0: Interactor, I1: Interactor<I0.DomainState, I0.Action>>: Interactor {
        private let i0: I0
        private let i1: I1

        public init(_ i0: I0, _ i1: I1) {
            self.i0 = i0
            self.i1 = i1
        }

        public func interact(state: inout I0.DomainState, action: I0.Action) -> Emission<I0.Action> {
            .merge([i0.interact(state: &state, action: action), i1.interact(state: &state, action: action)])
        }

        public func _resolve() -> _ResolvedInteractor<I0.DomainState, I0.Action> {
            let first = i0._resolve()
            let second = i1._resolve()
            return _ResolvedInteractor { state, action in
                .joining(
                    first.interact(state: &state, action: action),
                    second.interact(state: &state, action: action)
                )
            }
        }
    }
}

extension Interactors.Merge: Sendable where I0: Sendable, I1: Sendable {}
