extension Interactor where Self: Sendable {
    /// Adds an interactor for each element of a collection, which runs before this interactor.
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
    /// An action for an element that is not there is ignored by the elements; this interactor sees it, after them.
    /// - Parameters:
    ///   - state: an array, or another collection, of elements that know their identity; no two may have the same.
    ///   - action: the case that carries an element's identity and its action.
    ///   - endsEffects: whether an element's effects are cancelled when it goes.
    ///   - reportsMissing: whether an action for an element that is not there is reported as an issue.
    ///   - element: the interactors of one element. Each element has its own.
    public func forEach<Elements, Element, ID, ElementAction, Child: Interactor & Sendable>(
        state: any WritableKeyPath<DomainState, Elements> & Sendable,
        action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
        endsEffects: Bool = true,
        reportsMissing: Bool = false,
        @InteractorBuilder<Element, ElementAction> element: () -> Child
    ) -> Interactors.Merge<Interactors.ForEach<DomainState, Action, ID, Child>, Self>
    where
        Elements: MutableCollection & RandomAccessCollection & Sendable,
        Elements.Element == Element,
        Element: Identifiable,
        Element.ID == ID,
        Element == Child.DomainState,
        ElementAction == Child.Action
    {
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

    /// Adds an interactor for each value of a dictionary, which runs before this interactor.
    ///
    /// An action for a key that is not there is ignored by the elements; this interactor sees it, after them.
    /// - Parameters:
    ///   - state: the dictionary.
    ///   - action: the case that carries an element's key and its action.
    ///   - endsEffects: whether an element's effects are cancelled when it goes.
    ///   - reportsMissing: whether an action for an element that is not there is reported as an issue.
    ///   - element: the interactors of one element. Each element has its own.
    public func forEach<ID, Element, ElementAction, Child: Interactor & Sendable>(
        state: any WritableKeyPath<DomainState, [ID: Element]> & Sendable,
        action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
        endsEffects: Bool = true,
        reportsMissing: Bool = false,
        @InteractorBuilder<Element, ElementAction> element: () -> Child
    ) -> Interactors.Merge<Interactors.ForEach<DomainState, Action, ID, Child>, Self>
    where Element == Child.DomainState, ElementAction == Child.Action {
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
