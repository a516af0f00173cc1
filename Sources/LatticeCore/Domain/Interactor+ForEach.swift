extension Interactor where Self: Sendable {
    /// Adds an interactor for each element of a collection, which runs before this interactor: for each element of an
    /// array or a ``StateList``, for each value of a dictionary or a ``StateDictionary``.
    ///
    /// ```swift
    /// Interact { state, action in
    ///     switch action {
    ///     case .rowRemoved(let id): state.rows.removeAll { $0.id == id }      // ends the row's effects
    ///     case .rows: break
    ///     }
    ///     return .none
    /// }
    /// .forEach(state: \.rows, action: \.rows) {
    ///     RowInteractor()
    /// }
    /// ```
    ///
    /// An element of an array is known by its `id`, a value of a dictionary by its key. An action for an element that
    /// is not there is ignored by the elements; this interactor sees it, after them. An element that goes and comes
    /// back has a new interactor.
    /// - Parameters:
    ///   - state: the collection; no two of its elements may have the same identity.
    ///   - action: the case that carries an element's identity and its action.
    ///   - endsEffects: whether an element's effects are cancelled when it goes.
    ///   - reportsMissing: whether an action for an element that is not there is reported as an issue.
    ///   - element: the interactors of one element. Each element has its own.
    /// - Complexity: For an action that of a look-up: in an array O(1) on average while elements stay where they are,
    ///   and O(*n*) for an element that is not there, or after elements have moved or come. O(*k*) look-ups after some
    ///   have gone. O(*k*) besides, for every action of the feature, while effects run that end with a part of the
    ///   state, or an element's interactor keeps something, as a throttle does in its period. *n* is the number of
    ///   elements, *k* that of elements that have had an action.
    public func forEach<
        Elements: KeyedElements & Sendable,
        ElementAction,
        Child: Interactor<Elements.Value, ElementAction> & Sendable
    >(
        state: any WritableKeyPath<DomainState, Elements> & Sendable,
        action: CaseKeyPath<Action, IdentifiedAction<Elements.Key, ElementAction>>,
        endsEffects: Bool = true,
        reportsMissing: Bool = false,
        @InteractorBuilder<Elements.Value, ElementAction> element: () -> Child
    ) -> Interactors.Merge<Interactors.ForEach<DomainState, Action, Elements.Key, Child>, Self> {
        Interactors.Merge(
            Interactors.ForEach(
                state: state,
                action: action,
                endsEffects: endsEffects,
                reportsMissing: reportsMissing,
                element: element
            ),
            self
        )
    }

    /// The same for any collection of elements that know their identity.
    ///
    /// Declare that a collection of your own is ``KeyedElements``: the compiler then finds the form above, and is
    /// quicker where many `forEach` follow one another.
    @_disfavoredOverload
    public func forEach<
        ID,
        Element: Identifiable<ID>,
        Elements: MutableCollection & RandomAccessCollection<Element> & Sendable,
        ElementAction,
        Child: Interactor<Element, ElementAction> & Sendable
    >(
        state: any WritableKeyPath<DomainState, Elements> & Sendable,
        action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
        endsEffects: Bool = true,
        reportsMissing: Bool = false,
        @InteractorBuilder<Element, ElementAction> element: () -> Child
    ) -> Interactors.Merge<Interactors.ForEach<DomainState, Action, ID, Child>, Self> {
        Interactors.Merge(
            Interactors.ForEach(
                state: state,
                action: action,
                endsEffects: endsEffects,
                reportsMissing: reportsMissing,
                element: element
            ),
            self
        )
    }
}

// What the compiler says where elements do not know their identity: a sentence of ours instead of a failed inference.

extension Interactor where Self: Sendable {
    /// Not a use of `forEach`: of elements without an identity.
    @available(
        *,
        unavailable,
        message: """
            the elements have to be Identifiable, by the ID that the action carries: IdentifiedAction<Element.ID, \
            ElementAction>; elements without an identity go into a dictionary, under a key each
            """
    )
    public func forEach<
        ID,
        Element,
        Elements: MutableCollection & RandomAccessCollection<Element> & Sendable,
        ElementAction,
        Child: Interactor<Element, ElementAction> & Sendable
    >(
        state: any WritableKeyPath<DomainState, Elements> & Sendable,
        action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
        endsEffects: Bool = true,
        reportsMissing: Bool = false,
        @InteractorBuilder<Element, ElementAction> element: () -> Child
    ) -> Interactors.Merge<Interactors.ForEach<DomainState, Action, ID, Child>, Self> {
        fatalError("unavailable")  // The compiler lets nobody call it.
    }
}

extension Interactors.ForEach {
    /// Not a use of `ForEach`: of elements without an identity.
    @available(
        *,
        unavailable,
        message: """
            the elements have to be Identifiable, by the ID that the action carries: IdentifiedAction<Element.ID, \
            ElementAction>; elements without an identity go into a dictionary, under a key each
            """
    )
    public init<Element, Elements: MutableCollection & RandomAccessCollection<Element> & Sendable, ElementAction>(
        state: any WritableKeyPath<ParentState, Elements> & Sendable,
        action: CaseKeyPath<ParentAction, IdentifiedAction<ID, ElementAction>>,
        endsEffects: Bool = true,
        reportsMissing: Bool = false,
        @InteractorBuilder<Element, ElementAction> element: () -> Child
    ) where Element == Child.DomainState, ElementAction == Child.Action {
        fatalError("unavailable")  // The compiler lets nobody call it.
    }
}
