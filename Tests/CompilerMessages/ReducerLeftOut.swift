// A hosted feature whose `reducer()` was left out: the function is named, and not only the types that follow from it.
// A view state that is not declared follows from the reducer too; then only the types are named.

import LatticeCore

enum Blind: HostedFeature {
    struct DomainState: Codable, Equatable, Sendable {}
    struct ViewState: Codable, Equatable, Sendable {}
    enum Action: Codable, Sendable { case go }

    static let identifier = "blind"

    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> some Interactor<DomainState, Action> & Sendable {
        Interact<DomainState, Action> { _, _ in .none }
    }
}

// error: type 'Blind' does not conform to protocol 'HostedFeature'
// note: protocol requires function 'reducer()' with type '() -> AnyViewStateReducer<Blind.DomainState, Blind.ViewState>'
