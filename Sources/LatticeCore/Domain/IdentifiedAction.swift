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
