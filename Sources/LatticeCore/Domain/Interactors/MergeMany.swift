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
            .merging(interactors.map { $0._resolve() })
        }
    }
}

extension Interactors.MergeMany: Sendable where Element: Sendable {}

extension _ResolvedInteractor {
    fileprivate static func merging(_ interactors: [Self]) -> Self {
        let handlers = interactors.map(\.handler)
        return Self(sweep: sweep(of: interactors)) { state, action in
            var joined = Emission<Action>.none
            for handler in handlers {
                let emission = handler(&state, action)
                if emission.isNone { continue }
                joined = .joining(joined, emission)
            }
            return joined
        }
    }
}
