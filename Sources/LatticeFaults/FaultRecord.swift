import LatticeConcurrency

/// The faults of a plan that have happened, because the run has reached their places. It can be used from any thread.
///
/// The other faults did not happen because there were fewer connections or fewer bytes.
public final class FaultRecord: Sendable {
    private let faults = Locked<[Fault]>([])

    init() {}

    /// The faults that have happened, in order. Each appears once in a run, or once for each group of workers to which
    /// the plan applies.
    public var struck: [Fault] { faults.withLock(\.self) }

    func note(_ struck: [Fault]) {
        if !struck.isEmpty { faults.withLock { $0 += struck } }
    }
}
