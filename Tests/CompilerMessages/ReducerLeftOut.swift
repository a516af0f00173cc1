// A hosted feature without `reducer()`. The compiler names the function, and not only the types that are inferred from
// it. If `ViewState` is not declared either, it is inferred from the reducer, and the compiler names only the types.

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
