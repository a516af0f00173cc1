/// Files that need not be counted again.
struct KnownFiles: Sendable {
    private let state: TallyState

    init(_ state: TallyState) {
        self.state = state
    }

    var count: Int { state.ledger.count }

    /// Their paths. Costs a pass over the ledger, so effects call it and turns do not.
    func paths() -> Set<[UInt8]> {
        var paths = Set(state.failures.map(\.path))
        paths.reserveCapacity(state.done)
        state.ledger.forEach { paths.insert($0.path) }
        return paths
    }
}
