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
            .merging(i0._resolve(), i1._resolve())
        }
    }
}

extension Interactors.Merge: Sendable where I0: Sendable, I1: Sendable {}

extension _ResolvedInteractor {
    /// Generic over state and action and not over interactors: looking up an associated type takes longer than all the
    /// rest.
    fileprivate static func merging(_ first: Self, _ second: Self) -> Self {
        let (sweep, keeps) = (sweep(of: [first, second]), keeping(of: [first, second]))
        let (first, second) = (first.handler, second.handler)
        return Self(sweep: sweep, keeps: keeps) { state, action in
            let emission = first(&state, action)
            if emission.isNone { return second(&state, action) }
            return .joining(emission, second(&state, action))
        }
    }
}

extension Interactors {
    /// Interactors of one type on the same state, in their order: each sees what those before it changed.
    /// - Complexity: For an action O(*n*), where *n* is the number of interactors, beside what they do.
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
        return Self(sweep: sweep(of: interactors), keeps: keeping(of: interactors)) { state, action in
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
