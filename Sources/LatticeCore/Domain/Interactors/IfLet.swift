extension Interactors {
    /// An interactor for an optional part of a parent's state, and for one case of the parent's action.
    ///
    /// While the state is nil, the child ignores its actions. The usual form is
    /// ``Interactor/ifLet(state:action:endsEffects:reportsInactive:child:)``.
    public struct IfLet<ParentState: Sendable, ParentAction: Sendable, Child: Interactor & Sendable>: Interactor,
        Sendable
    {
        private let scope: When<ParentState, ParentAction, Child>

        /// Creates an interactor for an optional property.
        ///
        /// - Parameters:
        ///   - state: The optional property.
        ///   - action: The case whose payload the child handles.
        ///   - endsEffects: Whether the child's effects are cancelled when the state becomes nil. This includes the
        ///     effects of actions that its effects emit. A runtime checks the state after each action. It cannot
        ///     distinguish a value from another value that replaces it.
        ///   - reportsInactive: Whether an action that arrives while the state is nil is reported as an issue.
        ///   - child: The child's interactors.
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

        /// Forwards the payload of the case to the child, unless the state is nil. Other actions are ignored.
        public func interact(state: inout ParentState, action: ParentAction) -> Emission<ParentAction> {
            scope.interact(state: &state, action: action)
        }

        /// Returns a resolved interactor that keeps the resolved child.
        public func _resolve() -> _ResolvedInteractor<ParentState, ParentAction> {
            scope._resolve()
        }
    }
}

extension Interactor where Self: Sendable {
    /// Adds a child for an optional part of the state. The child runs before this interactor.
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
    /// While the state is nil, the child ignores its actions. This interactor handles them afterwards as usual.
    /// - Parameters:
    ///   - state: The optional property.
    ///   - action: The case whose payload the child handles.
    ///   - endsEffects: Whether the child's effects are cancelled when the state becomes nil.
    ///   - reportsInactive: Whether an action that arrives while the state is nil is reported as an issue.
    ///   - child: The child's interactors.
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
