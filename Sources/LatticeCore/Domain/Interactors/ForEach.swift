extension Interactors {
    /// An interactor for each element of a collection in a parent's state.
    ///
    /// Each element has its own interactor, which is created with the element's first action and removed with the
    /// element. The private state of such an interactor, for example of a ``Debounce``, belongs to that element. The
    /// usual form is `Interactor.forEach(state:action:endsEffects:reportsMissing:element:)`.
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

        /// Creates an interactor for `Identifiable` elements in any collection.
        ///
        /// No two elements may have the same identity. Finding an element costs a look-up, and a pass over the
        /// collection after elements have been moved or removed.
        /// - Parameters:
        ///   - state: The collection.
        ///   - action: The case that carries an element's identity and its action.
        ///   - endsEffects: Whether an element's effects are cancelled when the element is removed. This includes the
        ///     effects of actions that its effects emit. A runtime checks for removed elements after each action.
        ///   - reportsMissing: Whether an action for an element that does not exist is reported as an issue.
        ///   - element: The interactors of one element.
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

        /// Creates an interactor for elements that are found by a key. These are the values of a dictionary or a
        /// `StateDictionary` under their keys, or the elements of a `StateList` or an array under their identities.
        /// - Parameters:
        ///   - state: The collection.
        ///   - action: The case that carries an element's key and its action.
        ///   - endsEffects: Whether an element's effects are cancelled when the element is removed. This includes the
        ///     effects of actions that its effects emit. A runtime checks for removed elements after each action.
        ///   - reportsMissing: Whether an action for an element that does not exist is reported as an issue.
        ///   - element: The interactors of one element.
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

        /// Forwards the action of an element to the child. Other actions are ignored.
        public func interact(state: inout ParentState, action: ParentAction) -> Emission<ParentAction> {
            resolve { _ResolvedInteractor(calling: child) }.interact(state: &state, action: action)
        }

        /// Returns a resolved interactor that keeps one resolved child for each element.
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

/// An action of one element of a collection. It is the payload of a case of the parent's action.
///
/// ```swift
/// @CasePathable enum ListAction: Sendable {
///     case rows(IdentifiedAction<Row.ID, RowAction>)
/// }
/// viewModel.sendViewEvent(.rows(.element(id: row.id, action: .toggled)))
/// ```
public enum IdentifiedAction<ID: Hashable & Sendable, Action: Sendable>: Sendable {
    /// An action for the element with an identity.
    case element(id: ID, action: Action)

    /// The identity of the element that receives the action.
    public var id: ID {
        switch self {
        case .element(let id, _): id
        }
    }

    /// The action that the element's interactor handles.
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
