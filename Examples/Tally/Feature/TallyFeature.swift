import LatticeCore

/// The feature that counts lines, words and bytes of every regular file below a directory, in a worker.
enum TallyFeature: HostedFeature {
    static let identifier = "tally"
    static func initialDomainState(in context: HostContext) -> TallyState { TallyState() }

    static func interactor(in context: HostContext) -> TallyInteractor { TallyInteractor() }
    static func reducer() -> TallyReducer { TallyReducer() }

    /// After any end of a worker, a new one continues with the remaining files.
    static func recovery(from interruption: Interruption, in state: TallyState) -> TallyAction? {
        .recover(interruption)
    }

    typealias Action = TallyAction
    typealias DomainState = TallyState
    typealias ViewState = TallyViewState
}
