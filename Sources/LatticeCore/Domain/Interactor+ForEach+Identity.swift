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
        Element == Child.DomainState,
        ElementAction == Child.Action
    {
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
    public init<Elements, Element, ElementAction>(
        state: any WritableKeyPath<ParentState, Elements> & Sendable,
        action: CaseKeyPath<ParentAction, IdentifiedAction<ID, ElementAction>>,
        endsEffects: Bool = true,
        reportsMissing: Bool = false,
        @InteractorBuilder<Element, ElementAction> element: () -> Child
    )
    where
        Elements: MutableCollection & RandomAccessCollection & Sendable,
        Elements.Element == Element,
        Element == Child.DomainState,
        ElementAction == Child.Action
    {
        fatalError("unavailable")  // The compiler lets nobody call it.
    }
}
