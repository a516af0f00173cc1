extension Interactor where Self: Sendable {
    /// Adds a child for a property of the state, which runs before this interactor.
    ///
    /// ```swift
    /// Interact { state, action in … }
    ///     .when(state: \.counter, action: \.counter) {
    ///         CounterInteractor()
    ///     }
    /// ```
    ///
    /// This interactor sees the child's actions too, after the child. Of several modifiers the last one runs first.
    /// - Parameters:
    ///   - state: the property.
    ///   - action: the case whose payload the child handles.
    ///   - child: the child's interactors.
    public func when<ChildState, ChildAction, Child: Interactor & Sendable>(
        state: any WritableKeyPath<DomainState, ChildState> & Sendable,
        action: CaseKeyPath<Action, ChildAction>,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> Interactors.Merge<Interactors.When<DomainState, Action, Child>, Self>
    where Child.DomainState == ChildState, Child.Action == ChildAction {
        Interactors.Merge(Interactors.When(state: state, action: action, child: child), self)
    }

    /// Adds a child for the payload of a case of the state, which runs before this interactor. While another case is
    /// active, its actions are ignored.
    /// - Parameters:
    ///   - state: the case.
    ///   - action: the case whose payload the child handles.
    ///   - endsEffects: whether the child's effects are cancelled when the state leaves the case.
    ///   - reportsInactive: whether an action that comes while another case is active is reported as an issue.
    ///   - child: the child's interactors.
    public func when<ChildState, ChildAction, Child: Interactor & Sendable>(
        state: CaseKeyPath<DomainState, ChildState>,
        action: CaseKeyPath<Action, ChildAction>,
        endsEffects: Bool = false,
        reportsInactive: Bool = false,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> Interactors.Merge<Interactors.When<DomainState, Action, Child>, Self>
    where Child.DomainState == ChildState, Child.Action == ChildAction {
        Interactors.Merge(
            Interactors.When(
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
