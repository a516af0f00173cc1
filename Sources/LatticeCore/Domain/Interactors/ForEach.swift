extension Interactors {
    /// An interactor for each element of a collection in a parent's state.
    ///
    /// Each element has an interactor of its own, made with its first action and dropped with the element; what such an
    /// interactor keeps to itself, as a ``Debounce`` does, belongs to that element. See
    /// ``Interactor/forEach(state:action:endsEffects:reportsMissing:element:)`` for the usual form.
    public struct ForEach<
        ParentState: Sendable,
        ParentAction: Sendable,
        ID: Hashable & Sendable,
        Child: Interactor & Sendable
    >: Interactor, Sendable {
        private let state: ElementsPath<ParentState, ID, Child.DomainState>
        private let action: AnyCasePath<ParentAction, IdentifiedAction<ID, Child.Action>>
        private let endsEffects: Bool
        private let reportsMissing: Bool
        private let child: Child

        /// An interactor for elements that know their identity, in any collection.
        ///
        /// No two elements may have the same identity. Finding one costs a look-up, and a pass over the collection
        /// after elements have moved or gone.
        /// - Parameters:
        ///   - state: the collection.
        ///   - action: the case that carries an element's identity and its action.
        ///   - endsEffects: whether an element's effects are cancelled when it goes: those of its emissions, and of the
        ///     actions that come back from them. A runtime does that; it looks after each action.
        ///   - reportsMissing: whether an action for an element that is not there is reported as an issue.
        ///   - element: the interactors of one element.
        @_disfavoredOverload
        public init<
            Element: Identifiable<ID>,
            Elements: MutableCollection & RandomAccessCollection<Element> & Sendable,
            ElementAction
        >(
            state: any WritableKeyPath<ParentState, Elements> & Sendable,
            action: CaseKeyPath<ParentAction, IdentifiedAction<ID, ElementAction>>,
            endsEffects: Bool = true,
            reportsMissing: Bool = false,
            @InteractorBuilder<Element, ElementAction> element: () -> Child
        ) where Element == Child.DomainState, ElementAction == Child.Action {
            self.state = ElementsPath(state)
            self.action = AnyCasePath(action)
            self.endsEffects = endsEffects
            self.reportsMissing = reportsMissing
            child = element()
        }

        /// An interactor for elements that are found by what identifies them: the values of a dictionary or a
        /// ``StateDictionary``, whose keys are their identities, or the elements of a ``StateList`` or an array.
        /// - Parameters:
        ///   - state: the collection.
        ///   - action: the case that carries an element's key and its action.
        ///   - endsEffects: whether an element's effects are cancelled when it goes: those of its emissions, and of the
        ///     actions that come back from them. A runtime does that; it looks after each action.
        ///   - reportsMissing: whether an action for an element that is not there is reported as an issue.
        ///   - element: the interactors of one element.
        public init<Elements: KeyedElements & Sendable, ElementAction>(
            state: any WritableKeyPath<ParentState, Elements> & Sendable,
            action: CaseKeyPath<ParentAction, IdentifiedAction<ID, ElementAction>>,
            endsEffects: Bool = true,
            reportsMissing: Bool = false,
            @InteractorBuilder<Elements.Value, ElementAction> element: () -> Child
        ) where Elements.Key == ID, Elements.Value == Child.DomainState, ElementAction == Child.Action {
            self.state = ElementsPath(state)
            self.action = AnyCasePath(action)
            self.endsEffects = endsEffects
            self.reportsMissing = reportsMissing
            child = element()
        }

        public func interact(state: inout ParentState, action: ParentAction) -> Emission<ParentAction> {
            resolve { _ResolvedInteractor(calling: child) }.interact(state: &state, action: action)
        }

        public func _resolve() -> _ResolvedInteractor<ParentState, ParentAction> {
            resolve(child._resolve)
        }

        private func resolve(
            _ resolveChild: @escaping () -> _ResolvedInteractor<Child.DomainState, Child.Action>
        ) -> _ResolvedInteractor<ParentState, ParentAction> {
            let trees = ElementTrees(state, endsEffects: endsEffects, resolve: resolveChild)
            return .elements(trees, action: action, reportsMissing: reportsMissing)
        }
    }
}

/// An action of one element of a collection, as the payload of a parent's case.
///
/// ```swift
/// @CasePathable enum ListAction: Sendable {
///     case rows(IdentifiedAction<Row.ID, RowAction>)
/// }
/// viewModel.sendViewEvent(.rows(.element(id: row.id, action: .toggled)))
/// ```
public enum IdentifiedAction<ID: Hashable & Sendable, Action: Sendable>: Sendable {
    case element(id: ID, action: Action)

    /// The element that the action is for.
    public var id: ID {
        switch self {
        case .element(let id, _): id
        }
    }

    /// What the element's interactor handles.
    public var action: Action {
        switch self {
        case .element(_, let action): action
        }
    }
}

extension IdentifiedAction: Equatable where Action: Equatable {}
extension IdentifiedAction: Hashable where Action: Hashable {}
extension IdentifiedAction: Encodable where ID: Encodable, Action: Encodable {}
extension IdentifiedAction: Decodable where ID: Decodable, Action: Decodable {}
