import LatticeFaults

/// A plan of a round, of which faults can be left out.
protocol FaultedPlan: Sendable {
    /// Between the coordinator and its workers.
    var workers: FaultPlan { get set }
    /// Between the coordinator and its clients.
    var clients: FaultPlan { get set }
}
