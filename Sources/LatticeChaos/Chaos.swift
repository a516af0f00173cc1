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
    private var totals = (rounds: 0, events: 0, faults: 0)

    /// How often a round that breaks a promise is run again with fewer faults, at most.
    private static let maximumRepeats = 50
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
    /// - Throws: What keeps a round from being run at all.
    package mutating func run(rounds: Int, within time: Duration) async throws -> Bool {
        // What a process opens once and for all is there after it.
        _ = try await run(ChaosPlan(seed: 0, .init(events: 5, faults: 0, kinds: [.split])))
        let end = SuspendingClock.now + time
        repeat {
            let plan = ChaosPlan(seed: seed, extent)
            let result = try await run(plan)
            note(result)
            guard result.violations.isEmpty else {
                await explain(plan, result)
                return false
            }
            seed = generator.next()
        } while totals.rounds < rounds && SuspendingClock.now < end
        report("kept in \(totals.rounds) rounds, with \(totals.events) events and \(totals.faults) faults")
        return true
    }

    private func run(_ plan: ChaosPlan) async throws -> ChaosRound.Result {
        try await ChaosRound(plan: plan, folder: folder).run()
    }

    private mutating func note(_ result: ChaosRound.Result) {
        totals.rounds += 1
        totals.events += result.ends.values.reduce(0, +)
        totals.faults += result.faults
        let ends = result.ends.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: ", ")
        report("round \(totals.rounds), seed \(seed): \(result.faults) faults; events: \(ends)")
    }

    /// Says what was broken, and under which faults it still is.
    private func explain(_ plan: ChaosPlan, _ result: ChaosRound.Result) async {
        for violation in result.violations.prefix(Self.maximumViolations) { report("  broken: \(violation)") }
        if result.violations.count > Self.maximumViolations {
            report("  and \(result.violations.count - Self.maximumViolations) more")
        }
        report("looking for the fewest faults under which one is broken")
        var plan = plan
        var repeats = 0
        func fails(_ plan: ChaosPlan) async -> Bool {
            repeats += 1
            guard repeats <= Self.maximumRepeats else { return false }
            return (try? await run(plan))?.violations.isEmpty == false
        }
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
        report("again: latticectl chaos --seed \(seed) --rounds 1")
    }
}
