import LatticeActors
import LatticeCore

/// The feature that hashes every regular file below a path. It lives in one worker, and its effects call hashers in
/// other workers.
enum ChecksumsFeature: HostedFeature {
    static let identifier = "checksums"
    static func initialDomainState(in context: HostContext) -> ChecksumsState { ChecksumsState() }

    static func interactor(in context: HostContext) -> ChecksumsInteractor {
        ChecksumsInteractor(system: context[HasherSystem.self])
    }

    static func reducer() -> ChecksumsReducer { ChecksumsReducer() }

    /// Each worker continues with the files that the previous one has not hashed.
    static func started(_ context: HostContext, in state: ChecksumsState) -> ChecksumsAction? {
        state.phase == .hashing ? .resume : nil
    }

    typealias Action = ChecksumsAction
    typealias DomainState = ChecksumsState
    typealias ViewState = ChecksumsViewState
}

/// The actor system through which effects call the hashers. In a worker, it is the system of the worker's node.
enum HasherSystem: HostDependencyKey {
    /// A system of this process only. Tests host a hasher in it.
    static let defaultValue = LatticeActorSystem()
}
