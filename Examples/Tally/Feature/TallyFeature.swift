import LatticeCore

/// Counts lines, words and bytes of every regular file below a directory, in a worker.
enum TallyFeature: HostedFeature {
    static let identifier = "tally"
    static func initialDomainState(in context: HostContext) -> TallyState { TallyState() }

    static func interactor(in context: HostContext) -> TallyInteractor { TallyInteractor() }
    static func reducer() -> TallyReducer { TallyReducer() }

    /// Whatever ended the worker, a new one goes on with what is left.
    static func recovery(from interruption: Interruption, in state: TallyState) -> TallyAction? {
        .recover(interruption)
    }

    typealias Action = TallyAction
    typealias DomainState = TallyState
    typealias ViewState = TallyViewState
}
