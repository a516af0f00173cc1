import LatticeActors
import LatticeCore

/// SHA-256 of every regular file below a path. The feature lives in one worker, and its effects call hashers in others.
enum ChecksumsFeature: HostedFeature {
    static let identifier = "checksums"
    static func initialDomainState(in context: HostContext) -> ChecksumsState { ChecksumsState() }

    static func interactor(in context: HostContext) -> ChecksumsInteractor {
        ChecksumsInteractor(system: context[HasherSystem.self])
    }

    static func reducer() -> ChecksumsReducer { ChecksumsReducer() }

    /// Each worker goes on with what the one before has not hashed.
    static func started(_ context: HostContext, in state: ChecksumsState) -> ChecksumsAction? {
        state.phase == .hashing ? .goOn : nil
    }

    typealias Action = ChecksumsAction
    typealias DomainState = ChecksumsState
    typealias ViewState = ChecksumsViewState
}

/// The actor system by which effects reach the hashers: in a worker that of its node.
enum HasherSystem: HostDependencyKey {
    /// One of this process alone, for tests, which host a hasher in it.
    static let defaultValue = LatticeActorSystem()
}
