package import LatticeCore
import LatticeFaults

/// One round of chaos after the other, until one breaks a promise.
@MainActor package struct Chaos {
    /// What the workers of this program have to serve.
    package nonisolated static let features: [any HostedFeature.Type] = [
        ChaosFeature<FirstChaos>.self, ChaosFeature<SecondChaos>.self, ChaosClientFeature.self,
    ]

    private let extent: ChaosExtent
    private let calls: Int
    private let folder: String
    private let report: (String) -> Void
    private var generator: SeededGenerator
    private var seed: UInt64
    private var totals = (rounds: 0, events: 0, calls: 0, workerFaults: 0, clientFaults: 0)

    /// Calls of a round: as many as take about as long as its events.
    package nonisolated static let callsOfRound = 5000
    /// The most promises of a round that are told of.
    private static let maximumViolations = 20

    /// - Parameters:
    ///   - seed: Of the first round; those of the others follow from it.
    ///   - calls: How many calls there are in all; each round has ``callsOfRound`` at most.
    ///   - folder: An empty one, for sockets.
    ///   - report: Takes a line of the result.
    package init(
        seed: UInt64,
        _ extent: ChaosExtent,
        calls: Int,
        folder: String,
        report: @escaping (String) -> Void
    ) {
        self.seed = seed
        self.extent = extent
        self.calls = calls
        self.folder = folder
        self.report = report
        generator = SeededGenerator(seed: seed)
    }

    /// - Parameters:
    ///   - rounds: How many at most; the first one in any case.
    ///   - time: No round begins after it.
    /// - Returns: Whether every promise was kept.
    package mutating func run(rounds: Int, within time: Duration) async -> Bool {
        // What a process opens once and for all is there after it. What it breaks the first round breaks too.
        let pace = await ChaosPace.measured()
        _ = await run(ChaosPlan(seed: 0, ChaosExtent(events: 5, faults: 0, kinds: [.split]), pace: pace))
        if calls > 0 {
            _ = await run(CallPlan(seed: 0, CallExtent(calls: 20, faults: 0, kinds: [.split]), pace: pace))
        }
        let end = SuspendingClock.now + time
        repeat {
            totals.rounds += 1
            guard await isKept(), await isKeptByCalls() else { return false }
            seed = generator.next()
        } while totals.rounds < rounds && SuspendingClock.now < end
        report(
            "kept in \(totals.rounds) rounds, with \(totals.events) events, \(totals.calls) calls of actors,"
                + " \(totals.workerFaults) faults of workers and \(totals.clientFaults) of clients"
        )
        return true
    }

    private mutating func isKept() async -> Bool {
        let plan = ChaosPlan(seed: seed, extent, pace: await .measured())
        let result = await run(plan)
        totals.events += note(result, "round \(totals.rounds), seed \(seed)", "events")
        guard !result.violations.isEmpty else { return true }
        await explain(plan, result) { [folder] in await ChaosRound($0, folder: folder).run() }
        return false
    }

    /// The same for a round of calls, if not all have been made.
    private mutating func isKeptByCalls() async -> Bool {
        guard totals.calls < calls else { return true }
        let count = min(calls, Self.callsOfRound)
        let plan = CallPlan(
            seed: seed,
            CallExtent(calls: count, faults: extent.faults, kinds: extent.kinds),
            pace: await .measured()
        )
        let result = await run(plan)
        totals.calls += note(result, "  calls of round \(totals.rounds)", "calls")
        guard !result.violations.isEmpty else { return true }
        await explain(plan, result) { [folder] in await CallRound($0, folder: folder).run() }
        return false
    }

    private func run(_ plan: ChaosPlan) async -> ChaosResult {
        await ChaosRound(plan, folder: folder).run()
    }

    private func run(_ plan: CallPlan) async -> ChaosResult {
        await CallRound(plan, folder: folder).run()
    }

    /// - Returns: How many events, or calls, have ended.
    private mutating func note(_ result: ChaosResult, _ title: String, _ what: String) -> Int {
        totals.workerFaults += result.workerFaults
        totals.clientFaults += result.clientFaults
        let ends = result.ends.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: ", ")
        let late = result.late > 0 ? "; \(result.late) late, the last after \(result.waited)" : ""
        report(
            "\(title): \(result.workerFaults) faults of workers, \(result.clientFaults) of clients; \(what): \(ends)"
                + late
        )
        return result.ends.values.reduce(0, +)
    }

    /// Says what was broken, and under which faults it still is.
    private func explain<Plan: FaultedPlan>(
        _ plan: Plan,
        _ result: ChaosResult,
        run: @escaping (Plan) async -> ChaosResult
    ) async {
        for violation in result.violations.prefix(Self.maximumViolations) { report("  broken: \(violation)") }
        if result.violations.count > Self.maximumViolations {
            report("  and \(result.violations.count - Self.maximumViolations) more")
        }
        report("again, with the same options: latticectl chaos --seed \(seed) --rounds 1")
        report("looking for the fewest faults under which something is broken")
        let search = FewestFaults { plan in await !run(plan).violations.isEmpty }
        await search.find(in: plan, report: report)
    }
}
