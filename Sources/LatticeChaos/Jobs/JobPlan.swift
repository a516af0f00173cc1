import LatticeCore
import LatticeFaults
import LatticeJobs

/// The plan of a round of jobs. The same seed makes the same plan.
struct JobPlan: FaultedPlan, Sendable {
    /// The parts of the callers: the coordinator's process, a client in that process, and a client in another process,
    /// which is killed.
    let parts: [JobPart]
    /// The faults between the coordinator and its workers.
    var workers: FaultPlan
    /// There are none, because a job whose client loses its connection is cancelled.
    var clients = FaultPlan([])
    /// The speed of the machine.
    let pace: ChaosPace
    /// A Boolean value that indicates whether each worker has a standby, as with every second seed.
    let hasStandbys: Bool
    /// The number of jobs that each worker runs at a time: 1 with half of the seeds, and ``sharedPlaces`` with the
    /// others.
    let places: Int

    /// The number of workers.
    static let width = 4
    /// The number of jobs that share a worker.
    static let sharedPlaces = 3
    /// The part of all jobs that the client runs.
    private static let clientPart = 8
    /// The killed client runs this part of the number of the other jobs.
    private static let killedPart = 10
    /// The number of bytes that a connection of a worker is likely to have in each direction.
    private static let bytesOfConnection: UInt64 = 4000
    /// The faults that cost a job an attempt at most. A job could be blamed for the others: a worker that is paused
    /// looks like one that a job has made hang. One without descriptors cannot run programs.
    private static let kinds: [FaultPlan.Scope.Kind] = [
        .split, .stall, .cut, .kill, .exit, .crash, .hang, .grandchild, .chatter,
    ]

    /// Creates a plan.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - jobs: The number of jobs, at least 1, without those of the killed client.
    ///   - faults: The number of faults of workers, at least 0.
    ///   - kinds: The kinds of faults. Those that a job could be blamed for are left out.
    ///   - pace: The speed of the machine.
    init(seed: UInt64, jobs: Int, faults: Int, kinds: [FaultPlan.Scope.Kind], pace: ChaosPace = .quiet) {
        self.pace = pace
        hasStandbys = seed.isMultiple(of: 2)
        places = seed % 4 < 2 ? 1 : Self.sharedPlaces
        var generator = SeededGenerator(seed: seed)
        let kinds = kinds.filter(Self.kinds.contains)
        let seedOfFaults = generator.next()
        workers =
            kinds.isEmpty || faults == 0
            ? FaultPlan([])
            : FaultPlan(
                seed: seedOfFaults,
                .init(faults: faults, connections: max(2, faults), bytes: Self.bytesOfConnection, kinds: kinds)
            )
        let patience = pace.patience(with: workers)
        let ofClient = jobs / Self.clientPart
        parts = [jobs - ofClient, ofClient, max(1, jobs / Self.killedPart)].enumerated().map { caller, count in
            var part = JobPart(caller: caller, seed: generator.next(), jobs: count, patience: patience)
            if caller == 2 { part.lifetime = .random(in: 0..<count, using: &generator) }
            return part
        }
    }

    /// The maximum time without progress for all jobs to end.
    var patience: Duration { parts[0].patience }
}

/// The part of one caller in a round. The same seed makes the same jobs.
struct JobPart: Codable, Equatable, Sendable {
    let caller: Int
    let seed: UInt64
    let jobs: Int
    /// The maximum time without progress for all jobs to end.
    let patience: Duration
    /// The number of jobs that end before the caller kills its process, or nil if it lives.
    var lifetime: Int?

    /// One job of this many fails.
    private static let badPart = 3
    private static let priorities = 0...2
    private static let maximumCancelDelay = 20

    /// The jobs of the caller.
    var planned: [PlannedJob] {
        var generator = SeededGenerator(seed: seed)
        return (0..<jobs).map { number in
            let isBad = Int.random(in: 0..<Self.badPart, using: &generator) == 0
            let deeds = isBad ? ChaosDeed.bad : ChaosDeed.good
            let deed = deeds[Int.random(in: deeds.indices, using: &generator)]
            return PlannedJob(
                job: ChaosJob(identifier: .init(caller: caller, number: number), deed: deed),
                priority: .random(in: Self.priorities, using: &generator),
                cancelMilliseconds: .random(in: 0...Self.maximumCancelDelay, using: &generator),
                isCancelledWhileWaiting: Bool.random(using: &generator)
            )
        }
    }
}

/// A job of a plan.
struct PlannedJob: Equatable, Sendable {
    let job: ChaosJob
    let priority: Int
    /// The time after which the caller cancels the job, if that is its deed.
    let cancelMilliseconds: Int
    /// A Boolean value that indicates whether this time begins at once, and not when the job runs.
    let isCancelledWhileWaiting: Bool

    var options: JobOptions { job.deed.options(priority: priority) }
}
