package import LatticeCore
import LatticeFaults

/// One round of chaos after the other, until one breaks a promise.
@MainActor package struct Chaos {
    /// What the workers of this program have to serve.
    package nonisolated static let features: [any HostedFeature.Type] = [
        ChaosFeature<FirstChaos>.self, ChaosFeature<SecondChaos>.self, ChaosClientFeature.self,
    ]

    private let extent: ChaosExtent
    private let folder: String
    private let report: (String) -> Void
    private var generator: SeededGenerator
    private var seed: UInt64
    private var totals = (rounds: 0, events: 0, workerFaults: 0, clientFaults: 0)

    /// How often a round that breaks a promise is run again with fewer faults, and for how long, at most.
    private static let maximumRepeats = 200
    private static let repeatsLimit: Duration = .seconds(300)
    /// The most promises of a round that are told of.
    private static let maximumViolations = 20

    /// - Parameters:
    ///   - seed: Of the first round; those of the others follow from it.
    ///   - folder: An empty one, for sockets.
    ///   - report: Takes a line of the result.
    package init(seed: UInt64, _ extent: ChaosExtent, folder: String, report: @escaping (String) -> Void) {
        self.seed = seed
        self.extent = extent
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
        _ = await run(ChaosPlan(seed: 0, ChaosExtent(events: 5, faults: 0, kinds: [.split])))
        let end = SuspendingClock.now + time
        repeat {
            let plan = ChaosPlan(seed: seed, extent)
            let result = await run(plan)
            note(result)
            guard result.violations.isEmpty else {
                await explain(plan, result)
                return false
            }
            seed = generator.next()
        } while totals.rounds < rounds && SuspendingClock.now < end
        report(
            "kept in \(totals.rounds) rounds, with \(totals.events) events, \(totals.workerFaults) faults of workers and"
                + " \(totals.clientFaults) of clients"
        )
        return true
    }

    private func run(_ plan: ChaosPlan) async -> ChaosRound.Result {
        await ChaosRound(plan, folder: folder).run()
    }

    private mutating func note(_ result: ChaosRound.Result) {
        totals.rounds += 1
        totals.events += result.ends.values.reduce(0, +)
        totals.workerFaults += result.workerFaults
        totals.clientFaults += result.clientFaults
        let ends = result.ends.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: ", ")
        report(
            "round \(totals.rounds), seed \(seed): \(result.workerFaults) faults of workers, \(result.clientFaults) of"
                + " clients; events: \(ends)"
        )
    }

    /// Says what was broken, and under which faults it still is.
    private func explain(_ plan: ChaosPlan, _ result: ChaosRound.Result) async {
        for violation in result.violations.prefix(Self.maximumViolations) { report("  broken: \(violation)") }
        if result.violations.count > Self.maximumViolations {
            report("  and \(result.violations.count - Self.maximumViolations) more")
        }
        report("again, with the same options: latticectl chaos --seed \(seed) --rounds 1")
        report("looking for the fewest faults under which something is broken")
        var plan = plan
        var repeats = 0
        let deadline = SuspendingClock.now + Self.repeatsLimit
        func fails(_ plan: ChaosPlan) async -> Bool {
            guard repeats < Self.maximumRepeats, SuspendingClock.now < deadline else { return false }
            repeats += 1
            return await !run(plan).violations.isEmpty
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
        if repeats == Self.maximumRepeats || SuspendingClock.now >= deadline {
            report("  there may be fewer: not all was tried, in \(repeats) runs")
        }
    }
}
