extension Interactors {
    /// Interactors of one type on the same state, in their order: each sees what those before it changed.
    public struct MergeMany<Element: Interactor>: Interactor {
        private let interactors: [Element]

        public init(interactors: [Element]) {
            self.interactors = interactors
        }

        public func interact(state: inout Element.DomainState, action: Element.Action) -> Emission<Element.Action> {
            .merge(interactors.map { $0.interact(state: &state, action: action) })
        }

        public func _resolve() -> _ResolvedInteractor<Element.DomainState, Element.Action> {
            let resolved = interactors.map { $0._resolve() }
            return _ResolvedInteractor { state, action in
                var joined = Emission<Element.Action>.none
                for interactor in resolved {
                    joined = .joining(joined, interactor.interact(state: &state, action: action))
                }
                return joined
            }
        }
    }
}

extension Interactors.MergeMany: Sendable where Element: Sendable {}
