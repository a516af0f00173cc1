import LatticeActors
import LatticeCalls

/// Checks the nodes of a round of calls while no calls are made. Their remaining calls are not needed by any caller,
/// and have to disappear.
struct CallQuiet: Sendable {
    /// The maximum time until abandoned calls disappear, when all workers serve.
    private static let timeout: Duration = .seconds(5)
    /// The maximum time for a worker to report.
    private static let reportTimeout: Duration = .seconds(2)
    private static let pause: Duration = .milliseconds(5)

    /// The coordinator's actor system.
    let system: LatticeActorSystem
    /// The nodes of this process with their descriptions.
    let nodes: [(title: String, node: ActorNode)]
    /// The maximum time until all workers serve.
    let patience: Duration

    /// Waits until no calls are in progress and all workers serve, or until the time is over.
    ///
    /// - Returns: The violations at the end, each in a sentence.
    func violations() async -> [String] {
        let latest = ContinuousClock.now + patience
        var deadline: ContinuousClock.Instant?
        while true {
            let reports = await reports()
            let violations: [String]
            if reports.count < CallPlan.callees {
                violations = ["only \(reports.count) of \(CallPlan.callees) workers serve after \(patience)"]
            } else {
                deadline = deadline ?? min(latest, .now + Self.timeout)
                violations = (reports.map(counts) + nodes.map(counts)).flatMap(\.violations)
            }
            if violations.isEmpty || ContinuousClock.now >= deadline ?? latest { return violations }
            // If the task is cancelled, the round ends.
            do { try await Task.sleep(for: Self.pause) } catch { return violations }
        }
    }

    /// Returns one report for each worker that serves.
    private func reports() async -> [ChaosCallee.Report] {
        var reports: [Int32: ChaosCallee.Report] = [:]
        let name = ChaosCallee.Name.pool.rawValue
        // Each search returns the next worker.
        for _ in 0..<2 * CallPlan.callees where reports.count < CallPlan.callees {
            do {
                let report = try await withDeadline(.now + Self.reportTimeout) {
                    try await system.resolve(ChaosCallee.self, named: name, within: Self.reportTimeout).report()
                }
                reports[report.process] = report
            } catch {
                // This worker is being replaced by another one.
            }
        }
        return reports.values.sorted { $0.process < $1.process }
    }

    /// Returns the counts of a worker, without the request for the report itself.
    private func counts(_ report: ChaosCallee.Report) -> CallCounts {
        CallCounts(title: "the worker \(report.process)", sent: report.sent, taken: report.taken - 1)
    }

    private func counts(_ node: (title: String, node: ActorNode)) -> CallCounts {
        let count = node.node.callsUnderWay
        return CallCounts(title: node.title, sent: count.sent, taken: count.taken)
    }
}
