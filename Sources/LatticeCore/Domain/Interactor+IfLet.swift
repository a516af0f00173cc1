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
    /// While the state is nil, the child's actions are ignored by the child; this interactor sees them, after the child.
    /// - Parameters:
    ///   - state: the optional property.
    ///   - action: the case whose payload the child handles.
    ///   - endsEffects: whether the child's effects are cancelled when the state becomes nil.
    ///   - reportsInactive: whether an action that comes while the state is nil is reported as an issue.
    ///   - child: the child's interactors.
    public func ifLet<ChildState, ChildAction, Child: Interactor & Sendable>(
        state: any WritableKeyPath<DomainState, ChildState?> & Sendable,
        action: CaseKeyPath<Action, ChildAction>,
        endsEffects: Bool = true,
        reportsInactive: Bool = false,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> Interactors.Merge<Interactors.IfLet<DomainState, Action, Child>, Self>
    where Child.DomainState == ChildState, Child.Action == ChildAction {
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
