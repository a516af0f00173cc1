import IssueReporting

extension _ResolvedInteractor {
    /// Returns a child's interactor as an interactor of its parent.
    ///
    /// The function is generic over the four types instead of the interactors, because looking up an associated type
    /// for each action takes longer than everything else here.
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
        return Self(sweep: sweep, retains: child.retains) { state, parentAction in
            var emission = Emission<ChildAction>.none
            var isActive = true
            // The payload is lent instead of extracted, because an optional of a type that is unknown here needs a type
            // look-up each time.
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
    /// Returns this emission with its effects in a scope, if there is one.
    func scoped(_ scope: EffectID?) -> Self {
        guard let scope, hasEffects else { return self }
        return Self(kind: .cancellable(self, id: scope, cancelInFlight: false))
    }
}

private func reportInactive<Action>(_ action: Action) {
    reportIssue(
        """
        The action \(Action.self) was ignored: \(action). The part of the state that handles it does not exist. \
        Send it only while that part exists, or omit reportsInactive if the action may arrive late.
        """
    )
}

/// One search for children whose part of the state has been removed, in order to end their effects.
///
/// A runtime searches after an action, and only while effects of such a child run or while an element has an interactor
/// that keeps state.
struct ScopeSweep {
    /// The number of the turn in which the search takes place.
    let turn: UInt64
    /// Whether all emissions of the turn have been processed. Before that, a scope without running effects may still
    /// start some.
    let isTurnOver: Bool
    private let isLive: (EffectID) -> Bool
    /// The scopes whose effects must be cancelled.
    private(set) var ended: [EffectID] = []

    init(turn: UInt64, isTurnOver: Bool, isLive: @escaping (EffectID) -> Bool) {
        self.turn = turn
        self.isTurnOver = isTurnOver
        self.isLive = isLive
    }

    /// Returns whether effects of a scope are running.
    func isLive(_ scope: EffectID) -> Bool { isLive(scope) }

    /// Cancels the effects of a scope, if any are running.
    mutating func end(_ scope: EffectID) {
        if isLive(scope) { ended.append(scope) }
    }
}
