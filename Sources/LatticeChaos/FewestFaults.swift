import LatticeFaults

/// Searches for the smallest set of faults of a round that breaks a guarantee.
@MainActor struct FewestFaults<Plan: FaultedPlan> {
    /// Runs a round and returns whether it broke a guarantee.
    let isBroken: (Plan) async -> Bool

    /// The maximum number of runs with fewer faults.
    private let maximumRepeats = 200
    /// The time after which no further run begins.
    private let repeatsTimeout: Duration = .seconds(300)

    init(isBroken: @escaping (Plan) async -> Bool) {
        self.isBroken = isBroken
    }

    /// Searches and reports the result.
    ///
    /// - Parameters:
    ///   - plan: A plan that broke a guarantee once.
    ///   - report: Takes a line of the result.
    func find(in plan: Plan, report: (String) -> Void) async {
        var plan = plan
        var repeats = 0
        let deadline = SuspendingClock.now + repeatsTimeout
        func fails(_ plan: Plan) async -> Bool {
            guard repeats < maximumRepeats, SuspendingClock.now < deadline else { return false }
            repeats += 1
            return await isBroken(plan)
        }
        guard await fails(plan) else { return report("  the same plan broke no guarantee in a second run") }
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
            report("  fewer faults may be enough: the search ended after \(repeats) runs")
        }
    }
}

/// A plan of a round from which faults can be removed.
protocol FaultedPlan: Sendable {
    /// The faults between the coordinator and its workers.
    var workers: FaultPlan { get set }
    /// The faults between the coordinator and its clients.
    var clients: FaultPlan { get set }
}
