import LatticeActors
import LatticeConcurrency
import LatticeCoordinator
import LatticeProcess

/// What a pool knows of a job that has not ended.
struct JobRecord: Sendable {
    enum Phase: Sendable {
        /// The job is in the queue.
        case waiting
        /// The job is at a worker, where it runs or was sent ahead.
        case atWorker(Attempt)
        /// The job is in the queue again when the timer fires.
        case delayed(Timers.Key)
    }

    /// An attempt that is at a worker.
    struct Attempt: Sendable {
        let number: UInt64
        let member: LatticeActorID
        let worker: ServingWorker
        var state: JobAttemptState
        /// The timer of the next check, if there is one.
        var timer: Timers.Key?
        /// When the end of the worker was ordered, if it was.
        var endOrdered: ContinuousClock.Instant?
        /// The number of the last progress report.
        var lastReport: UInt64 = 0
        /// The program that the job has started, if it is one.
        var program: MeasuredProgram?
    }

    let name: String
    let input: [UInt8]
    let options: JobOptions
    let submitted: SubmittedJob
    var phase = Phase.waiting
    /// The number of attempts that have begun.
    var attempts = 0
    /// The number of workers that the job has ended.
    var endedWorkers = 0
    /// The number of attempts that other jobs have interrupted.
    private var interruptions = 0
    /// The last failures, oldest first.
    private(set) var failures: [JobFailure] = []
    var estimator = ProgressEstimator()

    init(name: String, input: [UInt8], options: JobOptions, submitted: SubmittedJob) {
        self.name = name
        self.input = input
        self.options = options
        self.submitted = submitted
    }

    /// The attempt that is at a worker, if one is.
    var attempt: Attempt? {
        get { if case .atWorker(let attempt) = phase { attempt } else { nil } }
        set { if let newValue { phase = .atWorker(newValue) } }
    }

    /// Whether the job is too large to be sent on the event loop.
    var isLarge: Bool { input.count > JobPool.largeInput }

    /// Whether the running attempt has a program, or is about to start one.
    var runsProgram: Bool { name == ProgramJob.name || attempt?.program != nil }

    mutating func add(_ failure: JobFailure) {
        failures.append(failure)
        if failures.count > JobError.maximumFailures { failures.removeFirst() }
        if failure.endedWorker { endedWorkers += 1 }
    }

    /// Takes an attempt back that counts for nothing.
    ///
    /// - Returns: Whether other jobs may run at the worker of the job from now on, or nil if that stays as it was.
    mutating func takeBack(_ reason: JobRepetition) -> JobCompany? {
        attempts -= 1
        phase = .waiting
        switch reason {
        case .notBegun: return nil
        case .suspected: return .alone
        case .interrupted:
            interruptions += 1
            return interruptions < JobPoolConfiguration.maximumInterruptions ? nil : .alone
        }
    }

    /// Records progress of the attempt.
    ///
    /// - Returns: What readers of the status wait for.
    mutating func progressed(_ progress: JobProgress, at now: ContinuousClock.Instant) -> OneShot<Void>? {
        estimator.add(progress, at: now)
        let estimator = estimator
        return submitted.box.update { status in
            status.progress = progress
            status.unitsPerSecond = estimator.unitsPerSecond
            status.remainingTime = estimator.remainingTime
        }
    }
}

/// Why an attempt counts for nothing, so that its job begins again.
enum JobRepetition: Sendable, Equatable {
    /// The worker took no jobs any more, or the job was taken back before it began.
    case notBegun
    /// The worker was ended for another job.
    case interrupted
    /// The worker ended itself, and this job or one that ran beside it is to blame.
    case suspected
}

/// A program that an attempt has started, and its use of resources.
struct MeasuredProgram: Sendable {
    private let process: Int32
    private let memory: ProcessMemory

    init(_ process: Int32) {
        self.process = process
        memory = ProcessMemory(of: process)
    }

    var memoryBytes: Int { memory.bytes() ?? 0 }
    var cpuTime: Duration { ProcessCPUTime.time(of: process) ?? .zero }
}

/// What a pool has to send after a change.
struct PoolOrders: Sendable {
    /// The attempts that are to be sent to their workers, in their order.
    var attempts: [AttemptOrder] = []
    /// The attempts that were sent ahead and are to be taken back.
    var recalls: [JobRecord.Attempt] = []
}

/// An attempt that is to be sent to its worker.
struct AttemptOrder: Sendable {
    let message: JobOrder
    /// Whether the CPU time of the worker is to be measured before the attempt begins.
    let measuresCPUTime: Bool
    let member: LatticeActorID
    let worker: ServingWorker
}

/// How an attempt ended, as far as the pool knows.
enum AttemptEnd: Sendable {
    case reply(JobReply)
    /// The worker ended during the attempt. The value is nil if its end is not known.
    case workerEnded(ServingWorker.End?)
    /// The worker takes no jobs any more, and has not begun this one.
    case notBegun
    /// The call failed for this reason.
    case refused(String)
}
