package import LatticeCore
import LatticeFaults

/// Runs rounds of chaos until one breaks a guarantee.
@MainActor package struct Chaos {
    /// The features that the workers of this program have to serve.
    package nonisolated static let features: [any HostedFeature.Type] = [
        ChaosFeature<FirstChaos>.self, ChaosFeature<SecondChaos>.self, ChaosClientFeature.self,
    ]

    private let extent: ChaosExtent
    private let calls: Int
    private let jobs: Int
    private let folder: String
    private let report: (String) -> Void
    private var generator: SeededGenerator
    private var seed: UInt64
    private var totals = (rounds: 0, events: 0, calls: 0, jobs: 0, workerFaults: 0, clientFaults: 0)

    /// The maximum number of calls in a round. They take about as long as the events of a round.
    package nonisolated static let callsOfRound = 5000
    /// The maximum number of jobs in a round.
    package nonisolated static let jobsOfRound = 250
    /// The maximum number of faults of workers in a round of jobs, because each start that fails delays the jobs.
    private nonisolated static let faultsOfJobs = 20
    /// The maximum number of violations of a round that are reported.
    private static let maximumViolations = 20

    /// Creates a series of rounds.
    ///
    /// - Parameters:
    ///   - seed: The seed of the first round. The seeds of the others follow from it.
    ///   - extent: The size of a round.
    ///   - calls: The total number of calls. Each round has at most ``callsOfRound``.
    ///   - jobs: The total number of jobs. Each round has at most ``jobsOfRound``.
    ///   - folder: An empty folder for sockets.
    ///   - report: Takes a line of the result.
    package init(
        seed: UInt64,
        _ extent: ChaosExtent,
        calls: Int,
        jobs: Int,
        folder: String,
        report: @escaping (String) -> Void
    ) {
        self.seed = seed
        self.extent = extent
        self.calls = calls
        self.jobs = jobs
        self.folder = folder
        self.report = report
        generator = SeededGenerator(seed: seed)
    }

    /// Runs the rounds.
    ///
    /// - Parameters:
    ///   - rounds: The maximum number of rounds. The first one always runs.
    ///   - time: The time after which no round begins.
    /// - Returns: Whether all guarantees held.
    package mutating func run(rounds: Int, within time: Duration) async -> Bool {
        await Leftovers.openClocks()
        // These rounds open what a process opens once, so that it is not counted later. If they break a guarantee, the
        // first round breaks it too.
        let pace = await ChaosPace.measured()
        _ = await run(ChaosPlan(seed: 0, ChaosExtent(events: 5, faults: 0, kinds: [.split]), pace: pace))
        if calls > 0 {
            _ = await run(CallPlan(seed: 0, CallExtent(calls: 20, faults: 0, kinds: [.split]), pace: pace))
        }
        if jobs > 0 { _ = await run(JobPlan(seed: 0, jobs: 20, faults: 0, kinds: [.split], pace: pace)) }
        let end = SuspendingClock.now + time
        repeat {
            totals.rounds += 1
            guard await isKept(), await isKeptByCalls(), await isKeptByJobs() else { return false }
            seed = generator.next()
        } while totals.rounds < rounds && SuspendingClock.now < end
        report(
            "all guarantees held in \(totals.rounds) \(totals.rounds == 1 ? "round" : "rounds"), with"
                + " \(totals.events) events, \(totals.calls) calls of actors, \(totals.jobs) jobs,"
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

    /// Runs a round of calls, unless all calls have been made.
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

    /// Runs a round of jobs, unless all jobs have been run.
    private mutating func isKeptByJobs() async -> Bool {
        guard totals.jobs < jobs else { return true }
        let plan = JobPlan(
            seed: seed,
            jobs: min(jobs, Self.jobsOfRound),
            faults: min(extent.faults, Self.faultsOfJobs),
            kinds: extent.kinds,
            pace: await .measured()
        )
        let result = await run(plan)
        totals.jobs += note(result, "  jobs of round \(totals.rounds)", "jobs")
        guard !result.violations.isEmpty else { return true }
        await explain(plan, result) { [folder] in await JobRound($0, folder: folder).run() }
        return false
    }

    private func run(_ plan: ChaosPlan) async -> ChaosResult {
        await ChaosRound(plan, folder: folder).run()
    }

    private func run(_ plan: CallPlan) async -> ChaosResult {
        await CallRound(plan, folder: folder).run()
    }

    private func run(_ plan: JobPlan) async -> ChaosResult {
        await JobRound(plan, folder: folder).run()
    }

    /// Adds a result to the totals and reports it.
    ///
    /// - Returns: The number of events, calls or jobs that have ended.
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

    /// Reports the broken guarantees and the smallest set of faults that breaks one.
    private func explain<Plan: FaultedPlan>(
        _ plan: Plan,
        _ result: ChaosResult,
        run: @escaping (Plan) async -> ChaosResult
    ) async {
        for violation in result.violations.prefix(Self.maximumViolations) { report("  broken: \(violation)") }
        if result.violations.count > Self.maximumViolations {
            report("  and \(result.violations.count - Self.maximumViolations) more")
        }
        report("to run it again with the same options: latticectl chaos --seed \(seed) --rounds 1")
        report("searching for the smallest set of faults that breaks a guarantee")
        let search = FewestFaults { plan in await !run(plan).violations.isEmpty }
        await search.find(in: plan, report: report)
    }
}
