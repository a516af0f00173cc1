import LatticeFaults

/// Looks for the fewest faults of a round under which something is broken.
@MainActor struct FewestFaults<Plan: FaultedPlan> {
    /// Runs a round, and says whether it broke a promise.
    let isBroken: (Plan) async -> Bool

    /// How often a round that breaks a promise is run again with fewer faults, and for how long, at most.
    private let maximumRepeats = 200
    private let repeatsTimeout: Duration = .seconds(300)

    init(isBroken: @escaping (Plan) async -> Bool) {
        self.isBroken = isBroken
    }

    /// - Parameters:
    ///   - plan: Under which something was broken once.
    ///   - report: Takes a line of what comes of it.
    func find(in plan: Plan, report: (String) -> Void) async {
        var plan = plan
        var repeats = 0
        let deadline = SuspendingClock.now + repeatsTimeout
        func fails(_ plan: Plan) async -> Bool {
            guard repeats < maximumRepeats, SuspendingClock.now < deadline else { return false }
            repeats += 1
            return await isBroken(plan)
        }
        guard await fails(plan) else { return report("  the same plan broke nothing when it was run again") }
        plan.workers = await plan.workers.shrunk { workers in
            var smaller = plan
            smaller.workers = workers
            return await fails(smaller)
        }
        plan.clients = await plan.clients.shrunk { clients in
            var smaller = plan
            smaller.clients = clients
            return await fails(smaller)
        }
        report("  workers: \(plan.workers)")
        report("  clients: \(plan.clients)")
        if repeats == maximumRepeats || SuspendingClock.now >= deadline {
            report("  there may be fewer: not all was tried, in \(repeats) runs")
        }
    }
}

/// A plan of a round, of which faults can be left out.
protocol FaultedPlan: Sendable {
    /// Between the coordinator and its workers.
    var workers: FaultPlan { get set }
    /// Between the coordinator and its clients.
    var clients: FaultPlan { get set }
}
