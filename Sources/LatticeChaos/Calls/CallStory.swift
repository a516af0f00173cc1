import LatticeActors
import LatticeConcurrency
import LatticeCore

/// What happens in a round of calls, between its beginning and its end.
@MainActor struct CallStory {
    let plan: CallPlan
    /// Those of this process, the coordinator's first.
    let near: [CallParticipant]
    /// The one that is killed.
    let far: ViewModel<ChaosClientFeature>
    let leftovers: Leftovers

    /// The pause between two looks whether anything moves.
    private static let pause: Duration = .milliseconds(20)

    /// What came of it.
    struct Result {
        /// Without the logs of the workers, which still run.
        var checker: CallChecker
        /// What was broken besides, each in a sentence.
        var violations: [String] = []
    }

    init(_ plan: CallPlan, near: [CallParticipant], far: ViewModel<ChaosClientFeature>, _ leftovers: Leftovers) {
        self.plan = plan
        self.near = near
        self.far = far
        self.leftovers = leftovers
    }

    /// - Parameter path: Where clients connect.
    func run(_ path: String) async throws -> Result {
        // What workers have open is there before it is counted.
        var violations = await quiet.violations()
        let descriptors = Leftovers.openDescriptors.count
        violations += await work(path)
        // What hangs has been told of; and what it keeps busy is not quiet.
        if violations.isEmpty { violations += await quiet.violations() }
        let before = near.map(\.system.lateReplies)
        if violations.isEmpty { violations += await workAtEnd() }
        if violations.isEmpty { violations += await quiet.violations() }
        let records = near.map(\.records)
        let late = LateReplies(plan, records)
        violations += late.counts(now: near.map(\.system.lateReplies), before: before).flatMap(\.violations)
        // Those of the workers that serve are all that there are.
        violations += await leftovers.violations(openBefore: descriptors, standbys: CallPlan.callees) { [] }
        let killed = plan.parts.filter { $0.lifetime != nil }
        let checker = CallChecker(
            records: records.flatMap(\.self),
            unknown: killed.flatMap(\.lanes).flatMap(\.calls),
            strangelyConfirmed: near.flatMap(\.strangelyConfirmed),
            hasFaults: plan.hasFaults
        )
        return Result(checker: checker, violations: violations)
    }

    /// Returns when all calls have ended, or at the limit of the whole.
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
            violations.append("caller \(killed.caller) was to be killed, and what it was asked to do ended: \(outcome)")
        }
        return violations
    }

    private func workAtEnd() async -> [String] {
        await finish { try await $0.workAtEnd() }
    }

    private func finish(_ work: @escaping @Sendable (CallParticipant) async throws -> Void) async -> [String] {
        let running = near.map { participant in
            let ended = OneShot<String>()
            // Parentless: what hangs is told of, and not waited for.
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
        var standstill = ChaosStandstill(patience: plan.patience, at: .now)
        for (participant, ended, task) in running {
            while !ended.isComplete, !standstill.isOver(at: near.reduce(0) { $0 + $1.endedCalls }, now: .now) {
                await ended.wait(atMost: Self.pause)
            }
            guard ended.isComplete, let failure = await ended.wait() else {
                let verdict = standstill.verdict.map { ": \($0)" } ?? ""
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
