extension Interactors {
    /// Two interactors on the same state. The second one sees the changes of the first one.
    public struct Merge<I0: Interactor, I1: Interactor<I0.DomainState, I0.Action>>: Interactor {
        private let i0: I0
        private let i1: I1

        /// Combines two interactors.
        public init(_ i0: I0, _ i1: I1) {
            self.i0 = i0
            self.i1 = i1
        }

        /// Runs both interactors in their order and combines their emissions.
        public func interact(state: inout I0.DomainState, action: I0.Action) -> Emission<I0.Action> {
            .merge([i0.interact(state: &state, action: action), i1.interact(state: &state, action: action)])
        }

        /// Returns the resolved forms of both interactors, combined into one.
        public func _resolve() -> _ResolvedInteractor<I0.DomainState, I0.Action> {
            .merging(i0._resolve(), i1._resolve())
        }
    }
}

extension Interactors.Merge: Sendable where I0: Sendable, I1: Sendable {}

extension _ResolvedInteractor {
    /// Combines two interactors. The function is generic over state and action instead of interactors, because looking
    /// up an associated type at run time takes longer than everything else here.
    fileprivate static func merging(_ first: Self, _ second: Self) -> Self {
        let (sweep, retains) = (sweep(of: [first, second]), retentionCheck(of: [first, second]))
        let (first, second) = (first.handler, second.handler)
        return Self(sweep: sweep, retains: retains) { state, action in
            let emission = first(&state, action)
            if emission.isNone { return second(&state, action) }
            return .joining(emission, second(&state, action))
        }
    }
}

extension Interactors {
    /// Several interactors of one type on the same state. Each one sees the changes of those before it.
    /// - Complexity: O(*n*) for an action, where *n* is the number of interactors, plus the cost of each interactor.
    public struct MergeMany<Element: Interactor>: Interactor {
        private let interactors: [Element]

        /// Combines several interactors.
        public init(interactors: [Element]) {
            self.interactors = interactors
        }

        /// Runs all interactors in their order and combines their emissions.
        public func interact(state: inout Element.DomainState, action: Element.Action) -> Emission<Element.Action> {
            .merge(interactors.map { $0.interact(state: &state, action: action) })
        }

        /// Returns the resolved forms of all interactors, combined into one.
        public func _resolve() -> _ResolvedInteractor<Element.DomainState, Element.Action> {
            .merging(interactors.map { $0._resolve() })
        }
    }
}

extension Interactors.MergeMany: Sendable where Element: Sendable {}

extension _ResolvedInteractor {
    fileprivate static func merging(_ interactors: [Self]) -> Self {
        let handlers = interactors.map(\.handler)
        return Self(sweep: sweep(of: interactors), retains: retentionCheck(of: interactors)) { state, action in
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
