import Distributed
import LatticeActors
import LatticeCalls
import LatticeCoding
import LatticeConcurrency

/// Runs the jobs of a pool in a worker.
distributed actor JobRunner: CallReading {
    typealias ActorSystem = LatticeActorSystem

    private let jobs: JobTable
    private let reporter: JobReporter
    /// The running attempts by their numbers.
    private var running: [UInt64: (task: Task<JobReply, Never>, reports: JobReports)] = [:]
    /// Whether the worker is about to be ended. Programs that are started from now on would outlive it.
    private var isEnding = false
    /// The attempts that were cancelled before they arrived.
    private var cancelledEarly = EarlyRequests()
    /// The attempts that were taken back before they arrived.
    private var takenBackEarly = EarlyRequests()
    /// The attempts that readers wanted to follow before they arrived.
    private var followedEarly = EarlyRequests()
    /// The turns of the attempts that were sent ahead.
    private let turns = SharedTurns()

    init(_ jobs: JobTable, in group: String, actorSystem: LatticeActorSystem) {
        self.jobs = jobs
        reporter = JobReporter(in: group, actorSystem)
        self.actorSystem = actorSystem
    }

    /// Runs a job to its end. Cancelling the call does not cancel the job.
    distributed func run(_ order: JobOrder) async -> JobReply {
        let number = order.number
        defer {
            cancelledEarly.end(number)
            takenBackEarly.end(number)
            followedEarly.end(number)
        }
        guard await begins(order) else { return .takenBack }
        let reading = followedEarly.take(number) ? .now : order.lines
        let reports = JobReports(reading: reading) { [reporter] lines in
            await reporter.send(lines, of: number)
        } process: { [reporter] process in
            await reporter.send(process, of: number)
        } _: { [reporter] progress, count in
            await reporter.send(progress, count, of: number)
        }
        if isEnding { reports.endProgram() }
        let context = JobContext(
            job: JobID(order.job),
            attempt: order.attempt,
            gracePeriod: .nanoseconds(order.gracePeriod),
            isSilenceLimited: order.isSilenceLimited,
            reports: reports
        )
        let (jobs, system) = (jobs, actorSystem)
        let task = Task(executorPreference: ThreadPool.shared) {
            let reply = await jobs.run(order, context, reports, system)
            // The pool has all lines before it learns that the job has ended.
            await reports.lines.end()
            return reply
        }
        running[number] = (task, reports)
        defer { running[number] = nil }
        if cancelledEarly.take(number) { cancel(number) }
        return await task.value
    }

    /// Waits until an attempt begins.
    ///
    /// - Returns: Whether it does. If not, it was taken back, or the pool cannot be reached any more.
    private func begins(_ order: JobOrder) async -> Bool {
        let number = order.number
        guard order.mayBeFollowed || order.after != nil else { return true }
        if order.after != nil, isEnding || cancelledEarly.take(number) || takenBackEarly.take(number) { return false }
        let arrival = turns.state.withLock { $0.add(number, after: order.after) }
        if case .refused = arrival { return false }
        // The next attempt begins when the pool can read this answer, so that it knows which one has ended the worker.
        CurrentCall.onceAnswered { [turns] answer in
            turns.state.withLock { $0.end(number) }?.complete(answer == .written)
        }
        guard case .waits(let turn) = arrival else { return true }
        // The worker is asked to leave, and finishes only what it has begun.
        CurrentCall.onDrain { turn.complete(false) }
        return await turn.wait() == true
    }

    /// Takes an attempt back that was sent ahead. One that has begun is not affected.
    distributed func takeBack(_ number: UInt64) {
        guard running[number] == nil else { return }
        guard let turn = turns.state.withLock({ $0.waiting(number) }) else { return takenBackEarly.add(number) }
        turn.complete(false)
    }

    /// Cancels a job. A job that has ended is not affected.
    distributed func cancel(_ number: UInt64) {
        if let turn = turns.state.withLock({ $0.waiting(number) }), turn.complete(false) { return }
        guard let (task, reports) = running[number] else { return cancelledEarly.add(number) }
        reports.cancel()
        // Cancelling runs handlers of the job, which may block.
        Task(executorPreference: ThreadPool.shared) { task.cancel() }
    }
}

extension JobRunner {
    /// Sends the lines of a job from now on while they are printed.
    distributed func followLines(of number: UInt64) {
        guard let (_, reports) = running[number] else { return followedEarly.add(number) }
        reports.lines.follow()
    }

    /// Prepares the end of this worker: kills the process groups of the programs that its jobs run, and sends the lines
    /// of the jobs that were not sent yet.
    distributed func prepareEnd() async {
        isEnding = true
        for turn in turns.state.withLock(\.waiting) { turn.complete(false) }
        let reports = running.values.map(\.reports)
        for reports in reports { reports.endProgram() }
        await withDiscardingTaskGroup { group in
            for reports in reports { group.addTask { await reports.lines.flush() } }
        }
    }
}

/// The turns of a runner, which attempts also take when their answers are written, on another thread.
private final class SharedTurns: Sendable {
    let state = Locked(AttemptTurns())
}

/// Sends what jobs report to the desk of their pool.
private final class JobReporter: Sendable {
    private let group: String
    private let system: LatticeActorSystem
    /// The desk, once there was a report.
    private let desk = Locked<JobDesk?>(nil)

    init(in group: String, _ system: LatticeActorSystem) {
        self.group = group
        self.system = system
    }

    func send(_ progress: JobProgress, _ count: UInt64, of attempt: UInt64) async {
        // A report that cannot be sent is lost. The next one contains it. The pool may have ended, and another one may
        // have begun.
        do {
            try await found().oneWay.progressed(attempt, progress, count)
        } catch {
            desk.withLock { $0 = nil }
        }
    }

    func send(_ process: Int32, of attempt: UInt64) async {
        do {
            try await found().oneWay.started(attempt, process)
        } catch {
            desk.withLock { $0 = nil }
        }
    }

    func send(_ lines: [JobOutputLine], of attempt: UInt64) async {
        do {
            // The answer keeps the number of lines that are on the way small.
            try await found().printed(attempt, lines)
        } catch {
            desk.withLock { $0 = nil }
        }
    }

    private func found() async throws -> JobDesk {
        if let desk = desk.withLock(\.self) { return desk }
        let found = try await system.resolve(JobDesk.self, named: JobActorNames.desk(of: group))
        desk.withLock { $0 = found }
        return found
    }
}

/// The types of the jobs that a worker hosts, by their names.
struct JobTable: Sendable {
    private var types: [String: any Job.Type] = [ProgramJob.name: ProgramJob.self]

    /// Adds a type.
    ///
    /// - Returns: Whether the name was free.
    mutating func add(_ type: any Job.Type) -> Bool {
        guard types[type.name] == nil else { return false }
        types[type.name] = type
        return true
    }

    func run(
        _ order: JobOrder,
        _ context: JobContext,
        _ reports: JobReports,
        _ system: LatticeActorSystem
    ) async -> JobReply {
        guard let type = types[order.name] else {
            let names = types.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            return .refused("its worker does not host it, only \(names); pass its type to host(jobs:in:)")
        }
        return await Self.run(type, order, context, reports, system)
    }

    private static func run<J: Job>(
        _ type: J.Type,
        _ order: JobOrder,
        _ context: JobContext,
        _ reports: JobReports,
        _ system: LatticeActorSystem
    ) async -> JobReply {
        let job: J
        do {
            job = try CBORDecoder().decode(type, from: order.input)
        } catch {
            return .refused("its worker cannot decode it; build both programs from the same source: \(error)")
        }
        let output: J.Output
        do {
            output = try await job.run(in: context)
        } catch {
            return .threw(ThrownError(error, system), reports.end())
        }
        do {
            return .returned(try CBOREncoder().encode(output), reports.end())
        } catch {
            return .refused("its output cannot be encoded: \(error)")
        }
    }
}

extension ThrownError {
    init(_ error: any Error, _ system: LatticeActorSystem) {
        type = String(describing: Swift.type(of: error))
        let text = "\(error)"
        let isShort = text.utf8.count <= Self.maximumText
        self.text = isShort ? text : String(decoding: text.utf8.prefix(Self.maximumText), as: UTF8.self)
        name = String(reflecting: Swift.type(of: error))
        encoded = system.encodedIfRegistered(error)
    }
}

extension LatticeActorSystem {
    /// Returns an error that a job threw, or nil if its type is not registered here.
    func registeredError(_ thrown: ThrownError) -> (any Error)? {
        thrown.encoded.flatMap { errorIfRegistered(named: thrown.name, $0) }
    }
}
