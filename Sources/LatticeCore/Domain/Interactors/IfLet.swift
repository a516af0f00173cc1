extension Interactors {
    /// An interactor for a part of a parent's state that may be nil, and for one case of its action.
    ///
    /// While the state is nil, the child's actions are ignored. See
    /// ``Interactor/ifLet(state:action:endsEffects:reportsInactive:child:)`` for the usual form.
    public struct IfLet<ParentState: Sendable, ParentAction: Sendable, Child: Interactor & Sendable>: Interactor,
        Sendable
    {
        private let scope: When<ParentState, ParentAction, Child>

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
            scope = When(
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
            scope._resolve()
        }
    }
}

extension Interactor where Self: Sendable {
    /// Adds a child for a part of the state that may be nil, which runs before this interactor.
    ///
    /// ```swift
    /// Interact { state, action in
    ///     switch action {
    ///     case .editTapped: state.editor = EditorState()
    ///     case .editor(.doneTapped): state.editor = nil       // ends the editor's effects
    ///     case .editor: break
    ///     }
    ///     return .none
    /// }
    /// .ifLet(state: \.editor, action: \.editor) {
    ///     EditorInteractor()
    /// }
    /// ```
    ///
    /// While the state is nil, the child's actions are ignored by the child; this interactor sees them, after the
    /// child.
    /// - Parameters:
    ///   - state: the optional property.
    ///   - action: the case whose payload the child handles.
    ///   - endsEffects: whether the child's effects are cancelled when the state becomes nil.
    ///   - reportsInactive: whether an action that comes while the state is nil is reported as an issue.
    ///   - child: the child's interactors.
    public func ifLet<ChildState, ChildAction, Child: Interactor<ChildState, ChildAction> & Sendable>(
        state: any WritableKeyPath<DomainState, ChildState?> & Sendable,
        action: CaseKeyPath<Action, ChildAction>,
        endsEffects: Bool = true,
        reportsInactive: Bool = false,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> Interactors.Merge<Interactors.IfLet<DomainState, Action, Child>, Self> {
        Interactors.Merge(
            Interactors.IfLet(
                state: state,
                action: action,
                endsEffects: endsEffects,
                reportsInactive: reportsInactive,
                child: child
            ),
            self
        )
    }
}
