import IssueReporting

extension _ResolvedInteractor {
    /// A child's interactor as one of its parent.
    ///
    /// Generic over the four types and not over the interactors: to look up an associated type for each action takes
    /// longer than all the rest.
    static func scoping<ChildState, ChildAction>(
        _ child: _ResolvedInteractor<ChildState, ChildAction>,
        state path: StatePath<DomainState, ChildState>,
        action: AnyCasePath<Action, ChildAction>,
        effects scope: EffectID?,
        reportsInactive: Bool
    ) -> Self {
        var sweep: Sweep?
        if scope != nil || child.sweep != nil {
            sweep = { state, sweep in
                let isPresent = state.map { path.inspect($0) { child.sweep?($0, &sweep) } } ?? false
                guard !isPresent else { return }
                if let scope { sweep.end(scope) }
                child.sweep?(nil, &sweep)
            }
        }
        return Self(sweep: sweep, keeps: child.keeps) { state, parentAction in
            var emission = Emission<ChildAction>.none
            var isActive = true
            // Lent instead of extracted: an optional of a type that is not known here has to be looked up each time.
            var parentAction = parentAction
            _ = action.modification(&parentAction) { childAction in
                isActive = path.modify(&state) { emission = child.handler(&$0, childAction) }
            }
            if !isActive, reportsInactive { reportInactive(parentAction) }
            if emission.isNone { return .none }
            return emission.map(action.embedding).scoped(scope)
        }
    }
}

extension Emission {
    /// Its effects belong to a scope, if there is one.
    func scoped(_ scope: EffectID?) -> Self {
        guard let scope, hasEffects else { return self }
        return Self(kind: .cancellable(self, id: scope, cancelInFlight: false))
    }
}

private func reportInactive<Action>(_ action: Action) {
    reportIssue(
        """
        \(Action.self) was ignored: \(action). The part of the state that it is for is not there. \
        Send it only while that is there, or leave out reportsInactive if it may come late.
        """
    )
}

/// One look for the children whose part of the state is gone, to end their effects.
///
/// A runtime looks after an action, and only while effects run that belong to such a child, or while an element has an
/// interactor that keeps something.
struct ScopeSweep {
    /// The turn in which it looks.
    let turn: UInt64
    /// Whether everything that was emitted has been looked at; before that, a scope that is not live may become it.
    let isTurnOver: Bool
    private let isLive: (EffectID) -> Bool
    /// What is to be cancelled.
    private(set) var ended: [EffectID] = []

    init(turn: UInt64, isTurnOver: Bool, isLive: @escaping (EffectID) -> Bool) {
        self.turn = turn
        self.isTurnOver = isTurnOver
        self.isLive = isLive
    }

    /// Whether effects of a scope run.
    func isLive(_ scope: EffectID) -> Bool { isLive(scope) }

    mutating func end(_ scope: EffectID) {
        if isLive(scope) { ended.append(scope) }
    }
}
