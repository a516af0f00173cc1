import LatticeConcurrency

/// Which faults of a plan have happened: those whose places were reached. Any thread.
///
/// The others had no chance to: fewer connections began, or fewer bytes moved.
public final class FaultRecord: Sendable {
    private let faults = Locked<[Fault]>([])

    init() {}

    /// Those that have happened, in their order; each once in a run, or once for each group of
    /// workers that it was for.
    public var struck: [Fault] { faults.withLock(\.self) }

    func note(_ struck: [Fault]) {
        if !struck.isEmpty { faults.withLock { $0 += struck } }
    }
}
