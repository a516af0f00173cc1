import LatticeActors
import LatticeSession

/// The nodes of a round of calls, when nothing is called: what they have under way nobody needs, and it is to be gone.
struct CallQuiet: Sendable {
    /// How long what was given up may take to be gone, when all workers serve.
    private static let limit: Duration = .seconds(5)
    /// How long a worker may take to say how it is.
    private static let reportTimeout: Duration = .seconds(2)
    private static let pause: Duration = .milliseconds(5)

    /// Of the coordinator.
    let system: LatticeActorSystem
    /// Those of this process, with what they are for people.
    let nodes: [(title: String, node: ActorNode)]
    /// How long workers may take to serve.
    let patience: Duration

    /// Returns when nothing is under way and all workers serve, or at the limit.
    ///
    /// - Returns: What is wrong then, each in a sentence.
    func violations() async -> [String] {
        let latest = ContinuousClock.now + patience
        var deadline: ContinuousClock.Instant?
        while true {
            let reports = await reports()
            let violations: [String]
            if reports.count < CallPlan.callees {
                violations = ["of \(CallPlan.callees) workers \(reports.count) serve after \(patience)"]
            } else {
                deadline = deadline ?? min(latest, .now + Self.limit)
                violations = (reports.map(counts) + nodes.map(counts)).flatMap(\.violations)
            }
            if violations.isEmpty || ContinuousClock.now >= deadline ?? latest { return violations }
            // Cancelled: the round ends.
            do { try await Task.sleep(for: Self.pause) } catch { return violations }
        }
    }

    /// Of each worker that serves, one.
    private func reports() async -> [ChaosCallee.Report] {
        var reports: [Int32: ChaosCallee.Report] = [:]
        let name = ChaosCallee.Name.pool.rawValue
        // Each search gets the next one.
        for _ in 0..<2 * CallPlan.callees where reports.count < CallPlan.callees {
            do {
                let report = try await withDeadline(Self.reportTimeout) {
                    try await system.resolve(ChaosCallee.self, named: name, within: Self.reportTimeout).report()
                }
                reports[report.process] = report
            } catch {
                // It is about to be another one.
            }
        }
        return reports.values.sorted { $0.process < $1.process }
    }

    /// But for the question itself.
    private func counts(_ report: ChaosCallee.Report) -> CallCounts {
        CallCounts(title: "the worker \(report.process)", sent: report.sent, taken: report.taken - 1)
    }

    private func counts(_ node: (title: String, node: ActorNode)) -> CallCounts {
        let count = node.node.callsUnderWay
        return CallCounts(title: node.title, sent: count.sent, taken: count.taken)
    }
}
