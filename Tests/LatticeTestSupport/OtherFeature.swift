package import LatticeCore

/// A feature that no worker in the tests hosts.
package enum OtherFeature: HostedFeature {
    package typealias Action = Int
    package typealias DomainState = Int
    package typealias ViewState = Int

    package static let identifier = "other"
    package static let schema = 3
    package static func initialDomainState(in context: HostContext) -> Int { 0 }

    package static func interactor(in context: HostContext) -> Interact<Int, Int> {
        Interact { state, action in
            state += action
            return .none
        }
    }

    package static func reducer() -> BuildViewState<Int, Int> {
        BuildViewState(initial: { _ in 0 }) { state, view in view = state }
    }
}
