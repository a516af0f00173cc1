import LatticeActors
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore

/// The ends of attempts and jobs.
extension JobPool {
    /// Handles the end of an attempt.
    ///
    /// - Returns: The next attempt for the calling task, if there is one.
    func ended(_ order: AttemptOrder, _ attemptEnd: AttemptEnd) -> AttemptOrder? {
        let reply: JobReply? = if case .reply(let reply) = attemptEnd { reply } else { nil }
        // Not while the pool is locked, because it reads a file.
        let memory = reply == nil || configuration.reuse.maximumMemoryBytes == nil ? nil : order.worker.memoryBytes
        let (orders, notices, closing) = core.withLock { core -> ([AttemptOrder], [Notice], OneShot<Void>?) in
            let notices = end(order, attemptEnd, memory, &core)
            let orders = core.closing == nil ? begin(&core) : []
            return (orders, notices, core.attempts.isEmpty ? core.closing : nil)
        }
        for notice in notices { notice.send() }
        closing?.complete(())
        send(orders.dropFirst())
        return orders.first
    }

    private func end(_ order: AttemptOrder, _ end: AttemptEnd, _ memory: Int?, _ core: inout Core) -> [Notice] {
        guard let job = core.attempts.removeValue(forKey: order.message.number), var record = core.records[job],
            let attempt = record.attempt
        else { return [] }
        if let timer = attempt.timer { TimerThread.shared.cancel(timer) }
        var notices: [Notice] = []
        if attempt.state.endsWorker {
            // The worker is being killed for this attempt, so it must get no other job.
            core.queue.leave(order.member)
        } else if case .reply = end, let reason = reasonToReplace(order.member, memory, &core) {
            // The task of the worker does not end, so that its death does not count.
            core.queue.leave(order.member)
            notices.append(Notice(replacing: order.worker, because: reason))
        } else {
            order.worker.endTask()
        }
        switch end {
        case .notBegun:
            core.queue.leave(order.member)
            return notices + repeated(job, record, attempt, &core)
        case .workerEnded: core.queue.leave(order.member)
        case .reply, .refused: break
        }
        if let progress = end.lastProgress { notices.append(Notice(record.progressed(progress, at: .now))) }
        if case .reply(.returned(let output, _)) = end {
            core.queue.end(job)
            return notices + [self.end(record, .success(output), &core)]
        }
        let failure = JobFailure(end, attempt, number: record.attempts)
        record.add(failure)
        let next = record.options.retries.next(
            after: failure,
            endedWorkers: record.endedWorkers,
            using: &core.generator
        )
        if case .retry(let delay) = next, core.closing == nil {
            core.queue.delay(job)
            return notices + [delayed(job, record, by: delay, &core)]
        }
        core.queue.end(job)
        if next == .setAside { core.setAside.add(SetAsideJob(record)) }
        let cause = end.thrown.flatMap { error in
            error.encoded.flatMap { system.errorIfRegistered(named: error.name, $0) }
        }
        let error: JobError =
            failure.cause == .cancelled
            ? .cancelled(record.name, record.failures)
            : .failed(record.name, record.failures, isSetAside: next == .setAside, cause: cause)
        return notices + [self.end(record, .failure(error), &core)]
    }

    /// Counts a job of a worker, and returns why the worker is replaced after it, or nil if it is not.
    private func reasonToReplace(_ member: LatticeActorID, _ memory: Int?, _ core: inout Core) -> String? {
        guard configuration.reuse != .unlimited else { return nil }
        let count = core.jobCounts[member, default: 0] + 1
        let reason = configuration.reuse.reasonToReplace(afterJobs: count, memory: memory)
        core.jobCounts[member] = reason == nil ? count : nil
        return reason
    }

    /// Puts a job back to its place in the queue, because its attempt has not begun.
    private func repeated(
        _ job: JobID,
        _ record: JobRecord,
        _ attempt: JobRecord.Attempt,
        _ core: inout Core
    ) -> [Notice] {
        var record = record
        if attempt.state.stop == .cancelled || core.closing != nil {
            core.queue.end(job)
            return [end(record, .failure(.cancelled(record.name, record.failures)), &core)]
        }
        record.attempts -= 1
        record.phase = .waiting
        core.records[job] = record
        core.queue.putBack(job)
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
    /// - Returns: The outcome for those who wait for it.
    func end(_ record: JobRecord, _ outcome: JobOutcome, _ core: inout Core) -> Notice {
        core.records[record.submitted.id] = nil
        let hasOutput = if case .success = outcome { true } else { false }
        let change = record.submitted.box.update {
            $0.phase = hasOutput ? .succeeded : .failed
            $0.remainingTime = nil
        }
        return Notice(change, outcome, of: record.submitted)
    }
}

/// What those who wait for a job learn, outside of the pool's lock.
struct Notice: Sendable {
    private let change: OneShot<Void>?
    private var outcome: (job: SubmittedJob, outcome: JobOutcome)?
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
    init(_ change: OneShot<Void>?, _ outcome: JobOutcome, of job: SubmittedJob) {
        self.change = change
        self.outcome = (job, outcome)
    }

    func send() {
        if let (job, outcome) = outcome {
            job.lines.end()
            job.outcome.complete(outcome)
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
    /// The last progress of an attempt that ended in its worker.
    fileprivate var lastProgress: JobProgress? {
        switch self {
        case .reply(.returned(_, let progress)), .reply(.threw(_, let progress)): progress
        default: nil
        }
    }

    /// The error that the job threw.
    fileprivate var thrown: ThrownError? { if case .reply(.threw(let error, _)) = self { error } else { nil } }
}

extension JobFailure {
    /// Creates the failure of an attempt that has no output.
    fileprivate init(_ end: AttemptEnd, _ attempt: JobRecord.Attempt, number: Int) {
        var report: CrashReport?
        var cause = Cause.call("the job could not be run")
        var isOwn = false
        switch end {
        case .reply(.returned), .notBegun: break
        case .reply(.threw(let error, _)): cause = .threw(type: error.type, text: error.text)
        case .reply(.refused(let reason)), .refused(let reason): cause = .call(reason)
        case .workerEnded(let end):
            let interruption = end?.interruption
            report = interruption?.report
            let ending = interruption?.cause ?? .disconnected
            isOwn = end?.wasAskedToLeave == false && ending.isJobsOwn
            cause = isOwn ? .workerEnded(ending) : .workerLost(ending)
        }
        switch (attempt.state.stop, end) {
        case (nil, _), (_, .refused), (_, .reply(.refused)): break
        case (.cancelled?, _): (cause, isOwn) = (.cancelled, false)
        case (.limit(let passed)?, .workerEnded): (cause, isOwn) = (.limit(passed), true)
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

extension Interruption.Cause {
    /// Whether the job caused the end of a worker that was not asked to leave. A job that exits with code 0 has caused
    /// it too.
    fileprivate var isJobsOwn: Bool {
        if case .exit = self { return true }
        return isWorkersOwn
    }
}
