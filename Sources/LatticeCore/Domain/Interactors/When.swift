extension Interactors {
    /// An interactor for a part of a parent's state, and for one case of its action.
    ///
    /// ```swift
    /// Interactors.When<ParentState, ParentAction, _>(state: \.counter, action: \.counter) {
    ///     CounterInteractor()
    /// }
    /// ```
    ///
    /// The child sees the actions in the case, and changes its part of the state in place. What it emits comes back in
    /// the case. Actions in other cases pass by. See ``Interactor/when(state:action:child:)`` for the usual form.
    public struct When<ParentState: Sendable, ParentAction: Sendable, Child: Interactor & Sendable>: Interactor,
        Sendable
    {
        let state: StatePath<ParentState, Child.DomainState>
        let action: AnyCasePath<ParentAction, Child.Action>
        /// Whether the child's effects end when its part of the state is gone.
        let endsEffects: Bool
        /// Whether an action for a part of the state that is not there is reported.
        let reportsInactive: Bool
        let child: Child

        public func interact(state: inout ParentState, action: ParentAction) -> Emission<ParentAction> {
            resolve(_ResolvedInteractor(calling: child)).interact(state: &state, action: action)
        }

        public func _resolve() -> _ResolvedInteractor<ParentState, ParentAction> {
            resolve(child._resolve())
        }

        private func resolve(
            _ child: _ResolvedInteractor<Child.DomainState, Child.Action>
        ) -> _ResolvedInteractor<ParentState, ParentAction> {
            .scoping(
                child,
                state: state,
                action: action,
                effects: endsEffects ? .makeScope() : nil,
                reportsInactive: reportsInactive
            )
        }
    }
}

extension Interactors.When {
    /// A child for a property of the state.
    /// - Parameters:
    ///   - state: the property.
    ///   - action: the case whose payload the child handles.
    ///   - child: the child's interactors.
    public init<ChildState, ChildAction>(
        state: any WritableKeyPath<ParentState, ChildState> & Sendable,
        action: CaseKeyPath<ParentAction, ChildAction>,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) where ChildState == Child.DomainState, ChildAction == Child.Action {
        self.init(
            state: StatePath(state),
            action: AnyCasePath(action),
            endsEffects: false,
            reportsInactive: false,
            child: child()
        )
    }

    /// A child for the payload of a case of the state. While another case is active, its actions are ignored.
    /// - Parameters:
    ///   - state: the case.
    ///   - action: the case whose payload the child handles.
    ///   - endsEffects: whether the child's effects are cancelled when the state leaves the case: those of its
    ///     emissions, and of the actions that come back from them. A runtime does that; it looks after each action,
    ///     and does not tell a payload from another one of the same case.
    ///   - reportsInactive: whether an action that comes while another case is active is reported as an issue.
    ///   - child: the child's interactors.
    public init<ChildState, ChildAction>(
        state: CaseKeyPath<ParentState, ChildState>,
        action: CaseKeyPath<ParentAction, ChildAction>,
        endsEffects: Bool = false,
        reportsInactive: Bool = false,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) where ChildState == Child.DomainState, ChildAction == Child.Action {
        self.init(
            state: StatePath(AnyCasePath(state)),
            action: AnyCasePath(action),
            endsEffects: endsEffects,
            reportsInactive: reportsInactive,
            child: child()
        )
    }
}

/// The name of ``Interactors/When`` inside a `body`.
public typealias WhenInteractor<ParentState: Sendable, ParentAction: Sendable, Child: Interactor & Sendable> =
    Interactors.When<ParentState, ParentAction, Child>

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
    public func when<ChildState, ChildAction, Child: Interactor<ChildState, ChildAction> & Sendable>(
        state: any WritableKeyPath<DomainState, ChildState> & Sendable,
        action: CaseKeyPath<Action, ChildAction>,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> Interactors.Merge<Interactors.When<DomainState, Action, Child>, Self> {
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
    public func when<ChildState, ChildAction, Child: Interactor<ChildState, ChildAction> & Sendable>(
        state: CaseKeyPath<DomainState, ChildState>,
        action: CaseKeyPath<Action, ChildAction>,
        endsEffects: Bool = false,
        reportsInactive: Bool = false,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> Interactors.Merge<Interactors.When<DomainState, Action, Child>, Self> {
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
