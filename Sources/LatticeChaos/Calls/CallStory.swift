import LatticeActors
import LatticeConcurrency
import LatticeCore

/// The work of a round of calls, from its beginning to its end.
@MainActor struct CallStory {
    let plan: CallPlan
    /// The callers in this process. The first one is the coordinator's.
    let near: [CallParticipant]
    /// The caller in another process, which is killed.
    let far: ViewModel<ChaosClientFeature>
    let leftovers: Leftovers

    /// The interval at which progress is checked.
    private static let pause: Duration = .milliseconds(20)

    /// The result of the work.
    struct Result {
        /// The checker, still without the logs of the workers, which are running.
        var checker: CallChecker
        /// The broken guarantees apart from the checker's, each in a sentence.
        var violations: [String] = []
    }

    init(_ plan: CallPlan, near: [CallParticipant], far: ViewModel<ChaosClientFeature>, _ leftovers: Leftovers) {
        self.plan = plan
        self.near = near
        self.far = far
        self.leftovers = leftovers
    }

    /// Runs all calls and checks the nodes.
    ///
    /// - Parameter path: The socket of the coordinator.
    func run(_ path: String) async throws -> Result {
        // This waits until the workers serve, so that their descriptors are included in the count.
        var violations = await quiet.violations()
        let descriptors = Leftovers.openDescriptors.count
        violations += await work(path)
        // If a call hangs, that has been reported, and the nodes cannot become idle.
        if violations.isEmpty { violations += await quiet.violations() }
        let before = near.map(\.system.lateReplies)
        if violations.isEmpty { violations += await workAtEnd() }
        if violations.isEmpty { violations += await quiet.violations() }
        let records = near.map(\.records)
        let late = LateReplies(plan, records)
        violations += late.counts(now: near.map(\.system.lateReplies), before: before).flatMap(\.violations)
        // Only the workers that serve should be running.
        violations += await leftovers.violations(openBefore: descriptors, standbys: CallPlan.callees) { [] }
        let killed = plan.parts.filter { $0.lifetime != nil }
        let checker = CallChecker(
            records: records.flatMap(\.self),
            unknown: killed.flatMap(\.lanes).flatMap(\.calls),
            unexpectedlyConfirmed: near.flatMap(\.unexpectedlyConfirmed),
            hasFaults: plan.hasFaults
        )
        return Result(checker: checker, violations: violations)
    }

    /// Waits until all calls have ended, or until the time limit of the round.
    private func work(_ path: String) async -> [String] {
        let killed = plan.parts[near.count]
        let event = far.sendViewEvent(.call(path: path, killed))
        var violations = await finish { try await $0.work() }
        let ended = OneShot<EventOutcome>()
        event.onCompletion { ended.complete($0) }
        await ended.wait(atMost: plan.patience)
        let end = ChaosRecord.End(event.outcome)
        if end != .interrupted {
            let outcome = event.outcome.map { "\($0)" } ?? end.name
            violations.append("caller \(killed.caller) should have been killed, but its work ended: \(outcome)")
        }
        return violations
    }

    private func workAtEnd() async -> [String] {
        await finish { try await $0.workAtEnd() }
    }

    private func finish(_ work: @escaping @Sendable (CallParticipant) async throws -> Void) async -> [String] {
        let running = near.map { participant in
            let ended = OneShot<String>()
            // The task has no parent. If it hangs, that is reported, and the round does not wait for it.
            let task = Task {
                do {
                    try await work(participant)
                    ended.complete("")
                } catch {
                    ended.complete("caller \(participant.part.caller): \(error)")
                }
            }
            return (participant, ended, task)
        }
        var violations: [String] = []
        var stallDetector = ChaosStallDetector(patience: plan.patience, at: .now)
        for (participant, ended, task) in running {
            while !ended.isComplete, !stallDetector.isOver(at: near.reduce(0) { $0 + $1.endedCalls }, now: .now) {
                await ended.wait(atMost: Self.pause)
            }
            guard ended.isComplete, let failure = await ended.wait() else {
                let verdict = stallDetector.verdict.map { ": \($0)" } ?? ""
                violations.append("caller \(participant.part.caller) has not ended\(verdict)")
                task.cancel()
                continue
            }
            if !failure.isEmpty { violations.append(failure) }
        }
        return violations
    }

    private var quiet: CallQuiet {
        CallQuiet(
            system: near[0].system,
            nodes: near.map { ($0.part.title, $0.node) },
            patience: plan.patience
        )
    }
}
