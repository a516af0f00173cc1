import IssueReporting

/// What a ``Interactors/ForEach`` is made of, whatever its collection and its action look like.
struct ElementScope<
    ParentState: Sendable,
    ParentAction: Sendable,
    ID: Hashable & Sendable,
    Child: Interactor & Sendable
>:
    Sendable
{
    let state: ElementsPath<ParentState, ID, Child.DomainState>
    /// Lends the element that an action is for, and what it is to handle.
    let inspect: @Sendable (ParentAction, (ID, Child.Action) -> Void) -> Void
    let embed: @Sendable (ID, Child.Action) -> ParentAction
    let endsEffects: Bool
    let reportsMissing: Bool
    let child: Child

    func interact(state: inout ParentState, action: ParentAction) -> Emission<ParentAction> {
        resolve { _ResolvedInteractor(calling: child) }.interact(state: &state, action: action)
    }

    func resolve() -> _ResolvedInteractor<ParentState, ParentAction> {
        resolve { child._resolve() }
    }

    private func resolve(
        _ resolveChild: @escaping () -> _ResolvedInteractor<Child.DomainState, Child.Action>
    ) -> _ResolvedInteractor<ParentState, ParentAction> {
        .elements(
            ElementTrees(state, endsEffects: endsEffects, resolve: resolveChild),
            inspect: inspect,
            embed: embed,
            reportsMissing: reportsMissing
        )
    }
}

extension _ResolvedInteractor {
    /// The interactors of elements as one of their parent.
    static func elements<ID, Element, ElementAction>(
        _ trees: ElementTrees<DomainState, ID, Element, ElementAction>,
        inspect: @escaping @Sendable (Action, (ID, ElementAction) -> Void) -> Void,
        embed: @escaping @Sendable (ID, ElementAction) -> Action,
        reportsMissing: Bool
    ) -> Self {
        Self(sweep: { state, sweep in trees.sweep(state, &sweep) }) { state, action in
            trees.prune(state)
            var emission = Emission<Action>.none
            inspect(action) { id, elementAction in
                guard let emitted = trees.interact(&state, id, elementAction) else {
                    if reportsMissing { reportMissing(action) }
                    return
                }
                if emitted.isNone { return }
                emission = emitted.map { embed(id, $0) }
            }
            return emission
        }
    }
}

private func reportMissing<Action>(_ action: Action) {
    reportIssue(
        """
        \(Action.self) was ignored: \(action). The element that it is for is not there. \
        Send it only while the element is there, or leave out reportsMissing if it may come late.
        """
    )
}
