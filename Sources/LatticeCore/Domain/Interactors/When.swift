extension Interactors {
    /// An interactor for a part of a parent's state, and for one case of the parent's action.
    ///
    /// ```swift
    /// Interactors.When<ParentState, ParentAction, _>(state: \.counter, action: \.counter) {
    ///     CounterInteractor()
    /// }
    /// ```
    ///
    /// The child handles the actions in that case, and changes its part of the state in place. Its emitted actions are
    /// wrapped in the same case. Actions in other cases are ignored. The usual form is
    /// ``Interactor/when(state:action:child:)``.
    public struct When<ParentState: Sendable, ParentAction: Sendable, Child: Interactor & Sendable>: Interactor,
        Sendable
    {
        let state: StatePath<ParentState, Child.DomainState>
        let action: AnyCasePath<ParentAction, Child.Action>
        /// Whether the child's effects are cancelled when its part of the state is removed.
        let endsEffects: Bool
        /// Whether an action is reported as an issue if the child's part of the state does not exist.
        let reportsInactive: Bool
        let child: Child

        /// Forwards the payload of the case to the child, if its part of the state exists. Other actions are ignored.
        public func interact(state: inout ParentState, action: ParentAction) -> Emission<ParentAction> {
            resolve(_ResolvedInteractor(calling: child)).interact(state: &state, action: action)
        }

        /// Returns a resolved interactor that keeps the resolved child.
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
    /// Creates an interactor for a property of the state.
    /// - Parameters:
    ///   - state: The property.
    ///   - action: The case whose payload the child handles.
    ///   - child: The child's interactors.
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

    /// Creates an interactor for the payload of a case of the state. While another case is active, the child ignores
    /// its actions.
    /// - Parameters:
    ///   - state: The case.
    ///   - action: The case whose payload the child handles.
    ///   - endsEffects: Whether the child's effects are cancelled when the state leaves the case. This includes the
    ///     effects of actions that its effects emit. A runtime checks the state after each action. It cannot
    ///     distinguish a payload from another payload of the same case.
    ///   - reportsInactive: Whether an action that arrives while another case is active is reported as an issue.
    ///   - child: The child's interactors.
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

/// A shorter name of ``Interactors/When`` for use in a `body`.
public typealias WhenInteractor<ParentState: Sendable, ParentAction: Sendable, Child: Interactor & Sendable> =
    Interactors.When<ParentState, ParentAction, Child>

extension Interactor where Self: Sendable {
    /// Adds a child for a property of the state. The child runs before this interactor.
    ///
    /// ```swift
    /// Interact { state, action in … }
    ///     .when(state: \.counter, action: \.counter) {
    ///         CounterInteractor()
    ///     }
    /// ```
    ///
    /// This interactor handles the child's actions too, after the child. If there are several modifiers, the last one
    /// runs first.
    /// - Parameters:
    ///   - state: The property.
    ///   - action: The case whose payload the child handles.
    ///   - child: The child's interactors.
    public func when<ChildState, ChildAction, Child: Interactor<ChildState, ChildAction> & Sendable>(
        state: any WritableKeyPath<DomainState, ChildState> & Sendable,
        action: CaseKeyPath<Action, ChildAction>,
        @InteractorBuilder<ChildState, ChildAction> child: () -> Child
    ) -> Interactors.Merge<Interactors.When<DomainState, Action, Child>, Self> {
        Interactors.Merge(Interactors.When(state: state, action: action, child: child), self)
    }

    /// Adds a child for the payload of a case of the state. The child runs before this interactor. While another case
    /// is active, the child ignores its actions.
    /// - Parameters:
    ///   - state: The case.
    ///   - action: The case whose payload the child handles.
    ///   - endsEffects: Whether the child's effects are cancelled when the state leaves the case.
    ///   - reportsInactive: Whether an action that arrives while another case is active is reported as an issue.
    ///   - child: The child's interactors.
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
