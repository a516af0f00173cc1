import LatticeActors
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore

/// The ends of attempts and jobs.
extension JobPool {
    /// Handles the end of an attempt.
    ///
    /// - Returns: The next attempt for the calling task, if there is one.
    func ended(_ order: AttemptOrder, _ attemptEnd: AttemptEnd, memoryBytes: Int?) -> AttemptOrder? {
        var (orders, notices, closing) = core.withLock { core -> (PoolOrders, [Notice], OneShot<Void>?) in
            let notices = end(order, attemptEnd, memoryBytes, &core)
            let orders = core.closing == nil ? begin(&core) : PoolOrders()
            return (orders, notices, core.attempts.isEmpty ? core.closing : nil)
        }
        for notice in notices { notice.send(system) }
        closing?.complete(())
        let next = orders.attempts.isEmpty ? nil : orders.attempts.removeFirst()
        send(orders)
        return next
    }

    private func end(
        _ order: AttemptOrder,
        _ end: AttemptEnd,
        _ memoryBytes: Int?,
        _ core: inout Core
    ) -> [Notice] {
        guard let job = core.attempts.removeValue(forKey: order.message.number), var record = core.records[job],
            let attempt = record.attempt
        else { return [] }
        if let timer = attempt.timer { TimerThread.shared.cancel(timer) }
        var notices: [Notice] = []
        let endsWorker = attempt.state.endsWorker
        let replacing =
            endsWorker ? nil : reasonToReplace(after: end, of: job, at: order.member, memoryBytes, &core)
        if let replacing { notices.append(Notice(replacing: order.worker, because: replacing)) }
        // The task of a worker that is being ended does not end, so that its death does not count.
        if !endsWorker, replacing == nil { order.worker.endTask() }
        switch end {
        case .notBegun, .workerEnded: core.queue.leave(order.member)
        case .reply, .refused:
            core.queue.setShort(end.isOfJob && Self.isShort(attempt), at: order.member)
            // The worker begins the next job now, or takes it back if it did not know this one. A job that was taken
            // back has begun here if the one before it has ended meanwhile.
            if core.queue.isRunning(job) { notices.append(Notice(beginAhead(at: order.member, &core))) }
        }
        if let progress = end.lastProgress { notices.append(Notice(record.progressed(progress, at: .now))) }
        if case .reply(.returned(let output, _)) = end {
            core.queue.end(job)
            return notices + [self.end(record, .success(output), &core)]
        }
        let hadNeighbour = core.queue.hadNeighbour(job)
        if let reason = attempt.repetition(after: end, hadNeighbour: hadNeighbour) {
            return notices + repeated(job, record, attempt, reason, &core)
        }
        let failure = JobFailure(end, attempt, hadNeighbour: hadNeighbour, number: record.attempts)
        record.add(failure)
        let next = record.options.retries.next(
            after: failure,
            endedWorkers: record.endedWorkers,
            using: &core.generator
        )
        if case .retry(let delay) = next, core.closing == nil {
            // It ran alone, or its limit ended the worker: it must not take other jobs along again.
            core.queue.delay(job, in: failure.endedWorker ? .alone : nil)
            return notices + [delayed(job, record, by: delay, &core)]
        }
        core.queue.end(job)
        if next == .setAside { core.setAside.add(SetAsideJob(record)) }
        let error: JobError =
            failure.cause == .cancelled
            ? .cancelled(record.name, record.failures)
            : .failed(record.name, record.failures, isSetAside: next == .setAside)
        return notices + [
            self.end(record, .failure(error), because: failure.cause == .cancelled ? nil : end.thrown, &core)
        ]
    }

    /// Counts a job of a worker, and returns why the worker is replaced now, or nil if it is not. A worker that is to
    /// be replaced takes no further jobs, and is replaced when it has none.
    private func reasonToReplace(
        after end: AttemptEnd,
        of job: JobID,
        at member: LatticeActorID,
        _ memory: Int?,
        _ core: inout Core
    ) -> String? {
        guard configuration.reuse != .unlimited else { return nil }
        if case .reply = end {
            let count = core.jobCounts[member, default: 0] + 1
            core.jobCounts[member] = count
            if core.retiring[member] == nil,
                let reason = configuration.reuse.reasonToReplace(afterJobs: count, memory: memory)
            {
                core.queue.leave(member)
                core.retiring[member] = reason
            }
        }
        guard let reason = core.retiring[member], core.queue.jobs(at: member) == [job] else { return nil }
        core.retiring[member] = nil
        core.jobCounts[member] = nil
        return reason
    }

    /// Puts a job back to its place in the queue, because its attempt counts for nothing.
    private func repeated(
        _ job: JobID,
        _ record: JobRecord,
        _ attempt: JobRecord.Attempt,
        _ reason: JobRepetition,
        _ core: inout Core
    ) -> [Notice] {
        var record = record
        if attempt.state.stop == .cancelled || core.closing != nil {
            core.queue.end(job)
            // The pool cancels what has begun, and closes what has not.
            let isClosed = core.closing != nil && reason == .notBegun
            let error: JobError = isClosed ? .closed(record.name) : .cancelled(record.name, record.failures)
            return [end(record, .failure(error), &core)]
        }
        let company = record.takeBack(reason)
        core.records[job] = record
        core.queue.putBack(job, in: company)
        return [Notice(record.submitted.box.update { $0.phase = .waiting })]
    }

    private func delayed(
        _ job: JobID,
        _ record: JobRecord,
        by delay: Duration,
        _ core: inout Core
    ) -> Notice {
        var record = record
        record.phase = .delayed(
            TimerThread.shared.after(delay) { [weak self] in
                Task(executorPreference: ThreadPool.shared) { self?.resume(job) }
            }
        )
        core.records[job] = record
        return Notice(record.submitted.box.update { $0.phase = .retrying(after: delay) })
    }

    private func resume(_ job: JobID) {
        update { core in
            guard case .delayed? = core.records[job]?.phase else { return }
            core.records[job]?.phase = .waiting
            core.queue.resume(job)
        }
    }

    /// Ends a job.
    ///
    /// - Parameter thrown: The error that the job threw, if it has no output for that.
    /// - Returns: The outcome for those who wait for it.
    func end(
        _ record: JobRecord,
        _ outcome: JobOutcome,
        because thrown: ThrownError? = nil,
        _ core: inout Core
    ) -> Notice {
        core.records[record.submitted.id] = nil
        let hasOutput = if case .success = outcome { true } else { false }
        let change = record.submitted.box.update {
            $0.phase = hasOutput ? .succeeded : .failed
            $0.remainingTime = nil
        }
        return Notice(change, outcome, because: thrown, of: record.submitted)
    }
}

/// What those who wait for a job learn, outside of the pool's lock.
struct Notice: Sendable {
    private let change: OneShot<Void>?
    private var outcome: (job: SubmittedJob, outcome: JobOutcome, thrown: ThrownError?)?
    private var replaced: (worker: ServingWorker, reason: String)?

    /// Creates the notice of a change of the status.
    init(_ change: OneShot<Void>?) {
        self.change = change
    }

    /// Creates the notice that a worker is replaced.
    init(replacing worker: ServingWorker, because reason: String) {
        change = nil
        replaced = (worker, reason)
    }

    /// Creates the notice of the end of a job.
    init(_ change: OneShot<Void>?, _ outcome: JobOutcome, because thrown: ThrownError?, of job: SubmittedJob) {
        self.change = change
        self.outcome = (job, outcome, thrown)
    }

    func send(_ system: LatticeActorSystem) {
        if let (job, outcome, thrown) = outcome {
            job.lines.end()
            if case .failure(var error) = outcome, let thrown, thrown.encoded != nil {
                // Decoding the error is code of the program, so it does not run on the event loop.
                Task(executorPreference: ThreadPool.shared) {
                    error.cause = system.registeredError(thrown)
                    job.outcome.complete(.failure(error))
                }
            } else {
                job.outcome.complete(outcome)
            }
        }
        change?.complete(())
        if let (worker, reason) = replaced { worker.end(forLimit: "reuse", because: reason) }
    }
}

extension SetAsideJob {
    fileprivate init(_ record: JobRecord) {
        self.init(
            id: record.submitted.id,
            name: record.name,
            options: record.options,
            failures: record.failures,
            input: record.input
        )
    }
}

extension AttemptEnd {
    /// Whether the job has ended the attempt, so that its duration is that of the job.
    fileprivate var isOfJob: Bool {
        switch self {
        case .reply(.returned), .reply(.threw), .reply(.refused): true
        case .reply(.takenBack), .refused, .workerEnded, .notBegun: false
        }
    }

    /// The error that the job threw, or nil if it did not throw.
    fileprivate var thrown: ThrownError? {
        if case .reply(.threw(let error, _)) = self { error } else { nil }
    }

    /// The last progress of an attempt that ended in its worker.
    fileprivate var lastProgress: JobProgress? {
        switch self {
        case .reply(.returned(_, let progress)), .reply(.threw(_, let progress)): progress
        default: nil
        }
    }
}

extension ServingWorker.End {
    /// Whether jobs caused the end of the worker. A job that exits with code 0 has caused it too. A worker that has
    /// lost its connection exits with the same code, and what crashes on the way out is not to blame.
    fileprivate var isJobsOwn: Bool {
        if wasAskedToLeave || hadLostSession { return false }
        if case .exit = interruption.cause { return true }
        return interruption.cause.isWorkersOwn
    }
}

extension JobRecord.Attempt {
    /// Returns why an attempt without an output counts for nothing, or nil if it has failed.
    fileprivate func repetition(after end: AttemptEnd, hadNeighbour: Bool) -> JobRepetition? {
        switch (state.phase, end) {
        case (_, .notBegun), (_, .reply(.takenBack)), (.ahead, .workerEnded): .notBegun
        case (.interrupted, _): .interrupted
        case (.running, .workerEnded(let end?)) where hadNeighbour && end.isJobsOwn: .suspected
        default: nil
        }
    }
}

extension JobFailure {
    /// Creates the failure of an attempt that has no output.
    fileprivate init(_ end: AttemptEnd, _ attempt: JobRecord.Attempt, hadNeighbour: Bool, number: Int) {
        var report: CrashReport?
        var cause = Cause.call("the job could not be run")
        var isOwn = false
        switch end {
        case .reply(.returned), .reply(.takenBack), .notBegun: break
        case .reply(.threw(let error, _)): cause = .threw(type: error.type, text: error.text)
        case .reply(.refused(let reason)), .refused(let reason): cause = .call(reason)
        case .workerEnded(let end):
            let interruption = end?.interruption
            report = interruption?.report
            let ending = interruption?.cause ?? .disconnected
            isOwn = end?.isJobsOwn == true
            cause = isOwn ? .workerEnded(ending) : .workerLost(ending)
        }
        switch (attempt.state.stop, end) {
        case (nil, _), (_, .refused), (_, .reply(.refused)): break
        case (.cancelled?, _): (cause, isOwn) = (.cancelled, false)
        case (.limit(let passed)?, .workerEnded) where !hadNeighbour: (cause, isOwn) = (.limit(passed), true)
        // The worker is being ended, although its answer came first because its program was ended before.
        case (.limit(let passed)?, _): (cause, isOwn) = (.limit(passed), attempt.state.endsWorker)
        }
        self.init(
            attempt: number,
            cause: cause,
            duration: attempt.state.start.duration(to: .now),
            endedWorker: isOwn,
            report: report,
            endDelay: attempt.endOrdered?.duration(to: .now)
        )
    }
}
