extension Interactors {
    /// An interactor for a part of a parent's state that may be nil, and for one case of its action.
    ///
    /// While the state is nil, the child's actions are ignored. See
    /// ``Interactor/ifLet(state:action:endsEffects:reportsInactive:child:)`` for the usual form.
    public struct IfLet<ParentState: Sendable, ParentAction: Sendable, Child: Interactor & Sendable>: Interactor,
        Sendable
    {
        private let scope: ChildScope<ParentState, ParentAction, Child>

        /// - Parameters:
        ///   - state: the optional property.
        ///   - action: the case whose payload the child handles.
        ///   - endsEffects: whether the child's effects are cancelled when the state becomes nil: those of its
        ///     emissions, and of the actions that come back from them. A runtime does that; it looks after each action,
        ///     and does not tell a value from another one that takes its place.
        ///   - reportsInactive: whether an action that comes while the state is nil is reported as an issue.
        ///   - child: the child's interactors.
        public init<ChildState, ChildAction>(
            state: any WritableKeyPath<ParentState, ChildState?> & Sendable,
            action: CaseKeyPath<ParentAction, ChildAction>,
            endsEffects: Bool = true,
            reportsInactive: Bool = false,
            @InteractorBuilder<ChildState, ChildAction> child: () -> Child
        ) where ChildState == Child.DomainState, ChildAction == Child.Action {
            scope = ChildScope(
                state: StatePath(unwrapping: state),
                action: AnyCasePath(action),
                endsEffects: endsEffects,
                reportsInactive: reportsInactive,
                child: child()
            )
        }

        public func interact(state: inout ParentState, action: ParentAction) -> Emission<ParentAction> {
            scope.interact(state: &state, action: action)
        }

        public func _resolve() -> _ResolvedInteractor<ParentState, ParentAction> {
            scope.resolve()
        }
    }
}
