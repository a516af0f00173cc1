extension Interactor where Self: Sendable {
    /// Adds an interactor for each element of a collection. It runs before this interactor. The elements are those of
    /// an array or a `StateList`, or the values of a dictionary or a `StateDictionary`.
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
    /// An element of an array is identified by its `id`, and a value of a dictionary by its key. An action for an
    /// element that does not exist is not handled by any element, and this interactor handles it afterwards as usual.
    /// An element that is removed and added again has a new interactor.
    /// - Parameters:
    ///   - state: The collection. No two of its elements may have the same identity.
    ///   - action: The case that carries an element's identity and its action.
    ///   - endsEffects: Whether an element's effects are cancelled when the element is removed.
    ///   - reportsMissing: Whether an action for an element that does not exist is reported as an issue.
    ///   - element: The interactors of one element. Each element has its own.
    /// - Complexity: Let *n* be the number of elements, and *k* the number of elements that have had an action. An
    ///   action costs one look-up. In an array, a look-up is O(1) on average while elements stay where they are, and
    ///   O(*n*) for an element that does not exist or after elements have been moved or added. After elements have been
    ///   removed, an action costs O(*k*) look-ups. In addition, every action of the feature costs O(*k*) while effects
    ///   run that end with a part of the state, or while an element's interactor keeps state of its own, as a throttle
    ///   does during its period.
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

    /// Adds an interactor for each element of any collection of `Identifiable` elements.
    ///
    /// Declare that a collection of your own conforms to ``KeyedElements``. The compiler then selects the other form,
    /// which compiles faster where many `forEach` follow one another.
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

// The compiler's message for elements without an identity. It replaces a message about failed inference.

extension Interactor where Self: Sendable {
    /// Not available. `forEach` requires elements with an identity.
    @available(
        *,
        unavailable,
        message: """
            the elements have to be Identifiable, with the type of ID that the action carries: \
            IdentifiedAction<Element.ID, ElementAction>; store elements without an identity in a dictionary
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
        fatalError("unavailable")  // The compiler refuses every call.
    }
}

extension Interactors.ForEach {
    /// Not available. `ForEach` requires elements with an identity.
    @available(
        *,
        unavailable,
        message: """
            the elements have to be Identifiable, with the type of ID that the action carries: \
            IdentifiedAction<Element.ID, ElementAction>; store elements without an identity in a dictionary
            """
    )
    public init<Element, Elements: MutableCollection & RandomAccessCollection<Element> & Sendable, ElementAction>(
        state: any WritableKeyPath<ParentState, Elements> & Sendable,
        action: CaseKeyPath<ParentAction, IdentifiedAction<ID, ElementAction>>,
        endsEffects: Bool = true,
        reportsMissing: Bool = false,
        @InteractorBuilder<Element, ElementAction> element: () -> Child
    ) where Element == Child.DomainState, ElementAction == Child.Action {
        fatalError("unavailable")  // The compiler refuses every call.
    }
}
