// A hosted feature without `interactor(in:)`, or with an `interactor()` that takes no context. The compiler names the
// missing function, because no default implementation replaces it.

import LatticeCore

enum Silent: HostedFeature {
    typealias Action = Int

    static let identifier = "silent"

    static func initialDomainState(in context: HostContext) -> Int { 0 }

    static func interactor() -> Interact<Int, Int> { Interact { _, _ in .none } }

    static func reducer() -> BuildViewState<Int, Int> { BuildViewState(initial: { $0 }) { $1 = $0 } }
}

// error: type 'Silent' does not conform to protocol 'HostedFeature'
// note: protocol requires function 'interactor(in:)' with type '(HostContext) -> AnyInteractor<
