import LatticeActors
import LatticeClient
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore
import LatticeFaults
import LatticeJobs

/// A round with a coordinator, workers and a pool of jobs. The coordinator and its clients run jobs, many of which
/// crash, hang or use too much, while workers are killed. Then the guarantees are checked.
@MainActor struct JobRound {
    nonisolated static let group = "jobs"
    /// The interval at which progress is checked.
    private static let pause: Duration = .milliseconds(20)

    let plan: JobPlan
    private let folder: String
    private let leftovers: Leftovers

    /// The work of a round.
    private struct Story {
        /// The records of the callers that live.
        var records: [ChaosJobRecord] = []
        var delay = Duration.zero
        /// The broken guarantees apart from the checker's, each in a sentence.
        var violations: [String] = []
    }

    private typealias FarClient = ViewModel<ChaosClientFeature>

    /// Creates a round.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - folder: An empty folder for the socket and the logs.
    init(_ plan: JobPlan, folder: String) {
        self.plan = plan
        self.folder = folder
        leftovers = Leftovers(folder: folder, timeout: plan.pace.leaveTimeout)
    }

    func run() async -> ChaosResult { await leftovers.checking("the round of jobs") { try await withFaults() } }

    private func withFaults() async throws -> ChaosResult {
        let path = "\(folder)/chaos.sock"
        var configuration = CoordinatorConfiguration.chaos(mark: leftovers.mark, patience: plan.patience, plan.pace)
        var group = WorkerGroup(Self.group, workers: JobPlan.width)
        group.arguments = [Chaos.jobWorkerArgument, folder]
        configuration.groups = [group]
        configuration.standby = plan.hasStandbys
        let workers = configuration.inject(plan.workers, into: .group(Self.group))
        let story = try await withCoordinator(listeningAt: path, configuration: configuration) { coordinator in
            leftovers.watch(coordinator, as: "the coordinator")
            return try await withPool(path, coordinator)
        }
        // The logs are read when no worker is running that could still write.
        let checker = JobChecker(
            records: story.records,
            unknown: plan.parts[2].planned.map(\.job),
            logs: try BeginLog<ChaosJob.Attempt>.takeAll(in: folder),
            hasFaults: !plan.workers.faults.isEmpty,
            sharesWorkers: plan.places > 1,
            patience: WakeDelay.patience(plan.pace.limitPatience, with: story.delay)
        )
        return ChaosResult(
            violations: story.violations + checker.violations(),
            ends: Dictionary(story.records.map { ($0.end.name, 1) }, uniquingKeysWith: +),
            workerFaults: workers.struck.count,
            clientFaults: 1
        )
    }

    private func withPool(_ path: String, _ coordinator: Coordinator) async throws -> Story {
        let system = LatticeActorSystem(coordinator)
        leftovers.watch(system, as: "the actor system of the coordinator")
        let settings = JobPoolConfiguration(jobsPerWorker: plan.places)
        return try await system.withJobPool(of: Self.group, in: coordinator, configuration: settings) { pool in
            leftovers.watch(pool, as: "the pool")
            let configuration = ClientConfiguration.chaos(patience: plan.patience)
            return try await withClient(connectingTo: path, configuration: configuration) { client in
                leftovers.watch(client, as: "the client")
                let remote = try await LatticeActorSystem(client).jobPool(of: Self.group, within: plan.patience)
                let near = [
                    JobParticipant(plan.parts[0], in: .coordinator(pool)),
                    JobParticipant(plan.parts[1], in: .client(remote)),
                ]
                return try await withFarClient { far in await run(path, pool, near, far) }
            }
        }
    }

    private func withFarClient(_ body: (FarClient) async -> Story) async throws -> Story {
        let configuration = CoordinatorConfiguration.chaosClient(mark: leftovers.mark)
        return try await withCoordinator(hosting: ChaosClientFeature.self, configuration: configuration) {
            coordinator in
            leftovers.watch(coordinator, as: "the coordinator of caller 2")
            return await body(try await coordinator.viewModel(ChaosClientFeature.self))
        }
    }

    private func run(_ path: String, _ pool: JobPool, _ near: [JobParticipant], _ far: FarClient) async -> Story {
        var story = Story()
        // The descriptors of the workers are counted too.
        await wait { pool.counts.workers == JobPlan.width }
        let descriptors = Leftovers.openDescriptors.count
        let delay = WakeDelay()
        do {
            try delay.start()
        } catch {
            story.violations.append("no thread measures the delays of the machine: \(error)")
            return story
        }
        let event = far.sendViewEvent(.runJobs(path: path, plan.parts[2]))
        let ended = OneShot<EventOutcome>()
        event.onCompletion { ended.complete($0) }
        story.violations += await finish(near)
        await ended.wait(atMost: plan.patience)
        if ChaosRecord.End(event.outcome) != .interrupted {
            let outcome = event.outcome.map { "\($0)" } ?? "never ended"
            story.violations.append("caller 2 should have been killed, but its work ended: \(outcome)")
        }
        // The jobs of the killed client end within their grace period, or at their limits.
        await wait { pool.counts.waiting == 0 && pool.counts.running == 0 && pool.counts.workers == JobPlan.width }
        story.delay = await delay.stop()
        let counts = pool.counts
        if counts.waiting > 0 || counts.running > 0 || counts.workers < JobPlan.width {
            story.violations.append(
                "\(counts.waiting) jobs wait, \(counts.running) run and \(counts.workers) workers serve after the end"
            )
        }
        story.records = near.flatMap(\.records)
        story.violations += await leftovers.violations(
            openBefore: descriptors,
            standbys: plan.hasStandbys ? 2 * JobPlan.width : JobPlan.width
        ) { [] }
        return story
    }

    /// Waits until all jobs have ended, or there is no more progress.
    private func finish(_ participants: [JobParticipant]) async -> [String] {
        let running = participants.map { participant in
            let ended = OneShot<Void>()
            // The task has no parent. If it hangs, that is reported, and the round does not wait for it.
            let task = Task(executorPreference: ThreadPool.shared) {
                await participant.work()
                ended.complete()
            }
            return (participant, ended, task)
        }
        var violations: [String] = []
        var stallDetector = ChaosStallDetector(patience: plan.patience, at: .now)
        for (participant, ended, task) in running {
            while !ended.isComplete,
                !stallDetector.isOver(at: participants.reduce(0) { $0 + $1.endedJobs }, now: .now)
            {
                await ended.wait(atMost: Self.pause)
            }
            guard !ended.isComplete else { continue }
            let verdict = stallDetector.verdict.map { ": \($0)" } ?? ""
            violations.append("the jobs of caller \(participant.part.caller) have not ended\(verdict)")
            task.cancel()
        }
        return violations
    }

    /// Waits until a condition is true, at most for the patience of the round.
    private func wait(until isTrue: () -> Bool) async {
        let deadline = ContinuousClock.now + plan.patience
        while !isTrue(), ContinuousClock.now < deadline {
            do { try await Task.sleep(for: Self.pause) } catch { return }
        }
    }
}

extension Chaos {
    /// The first argument of a worker of a round's jobs. The folder for its logs follows.
    nonisolated static let jobWorkerArgument = "chaos-jobs"

    nonisolated static func hostJobs(at system: LatticeActorSystem, _ folder: String) throws {
        let log = try BeginLog<ChaosJob.Attempt>(in: folder)
        ChaosJob.log.withLock { $0 = log }
        try system.host(jobs: ChaosJob.self, in: JobRound.group)
    }
}
