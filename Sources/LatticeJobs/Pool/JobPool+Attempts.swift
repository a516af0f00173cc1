import LatticeActors
import LatticeConcurrency
import LatticeCoordinator
import LatticeCore

/// The attempts of jobs: how they begin, are limited, and end.
extension JobPool {
    typealias Instant = ContinuousClock.Instant

    /// The time that a worker whose call was lost may take until the coordinator knows how it ended.
    private static let endTimeout: Duration = .seconds(10)
    /// The time that a worker has to kill its program before the worker is killed. A worker that is stopped does not
    /// answer.
    private static let programEndTimeout: Duration = .seconds(1)
    /// The time that a worker without a program has to send the lines of its job before it is killed.
    private static let flushTimeout: Duration = .milliseconds(250)
    /// The time that a worker may take to end after it has killed the programs of its jobs.
    private static let leaveTimeout: Duration = .seconds(1)

    // MARK: Begin

    /// Changes the queue, and begins the attempts that this allows.
    func update(_ change: (inout Core) -> Void) {
        send(
            core.withLock { core in
                change(&core)
                return begin(&core)
            }
        )
    }

    /// Sends what the pool has decided.
    func send(_ orders: PoolOrders) {
        for order in orders.attempts { orderContinuation.yield(order) }
        for attempt in orders.recalls {
            Task(executorPreference: ThreadPool.shared) { [system] in
                // If the worker cannot be reached, the attempt ends anyway.
                try? await JobRunner.resolve(id: attempt.member, using: system).takeBack(attempt.number)
            }
        }
    }

    /// Begins the attempts for which there are workers.
    func begin(_ core: inout Core) -> PoolOrders {
        var orders = PoolOrders()
        while true {
            let starts = core.queue.takeStarts()
            if starts.isEmpty { break }
            for start in starts {
                guard let worker = coordinator.servingWorker(start.member.node) else {
                    // The worker has ended. The list of workers will say so too.
                    core.queue.leave(start.member)
                    core.queue.putBack(start.job)
                    continue
                }
                if let order = begin(start.job, at: start.member, worker, &core) { orders.attempts.append(order) }
            }
        }
        sendAhead(&core, &orders)
        return orders
    }

    /// Creates an attempt, which begins when its worker gets it, or is sent ahead.
    ///
    /// - Parameter earlier: The number of the attempt after whose end this one begins, if it is sent ahead.
    func begin(
        _ job: JobID,
        at member: LatticeActorID,
        _ worker: ServingWorker,
        after earlier: UInt64? = nil,
        _ core: inout Core
    ) -> AttemptOrder? {
        guard var record = core.records[job] else { return nil }
        let number = core.unusedNumber()
        worker.beginTask()
        let limits = record.options.limits
        record.attempts += 1
        record.estimator = ProgressEstimator()
        var attempt = JobRecord.Attempt(
            number: number,
            member: member,
            worker: worker,
            state: JobAttemptState(limits, at: .now, earlier == nil ? .running : .ahead)
        )
        attempt.timer = timer(of: attempt)
        record.phase = .atWorker(attempt)
        let phase = earlier == nil ? JobStatus.Phase.running(attempt: record.attempts) : .waiting
        record.submitted.box.update { $0 = JobStatus(phase: phase) }?.complete(())
        core.records[job] = record
        core.attempts[number] = job
        if record.isLarge { core.queue.setShort(false, at: member) }
        let message = JobOrder(
            number: number,
            job: job.number,
            name: record.name,
            attempt: record.attempts,
            gracePeriod: limits.gracePeriod.nanoseconds,
            isSilenceLimited: limits.silence != nil,
            lines: record.submitted.lines.reading,
            mayBeFollowed: core.queue.ahead.isUsed && !record.isLarge,
            after: earlier,
            input: record.input
        )
        return AttemptOrder(
            message: message,
            measuresCPUTime: limits.cpuTime != nil,
            member: member,
            worker: worker
        )
    }

    // MARK: Run

    /// Runs an attempt, and then the next one that its end allows.
    ///
    /// The task runs on the event loop, which reads the answers, so that this process changes no threads for an
    /// attempt. Work that can take longer, or that is code of the program, runs on the threads of ``ThreadPool``.
    func run(_ first: AttemptOrder) async {
        var next: AttemptOrder? = first
        while let order = next {
            let end = await call(order)
            let (outcome, memory) =
                needsDetails(of: end) ? await offLoop { await self.details(of: end, order) } : (end, nil)
            next = ended(order, outcome, memoryBytes: memory)
        }
    }

    /// Runs a closure on a thread of the library.
    private func offLoop<Result: Sendable, Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(ThreadPool.shared, operation: body)
    }

    /// Whether the end of an attempt is not clear before the worker was looked at. It always is if jobs are sent ahead,
    /// so the next one begins with the answer.
    private func needsDetails(of end: AttemptEnd) -> Bool {
        switch end {
        case .reply(.returned), .reply(.refused): configuration.reuse.maximumMemoryBytes != nil
        case .reply(.threw): configuration.reuse.maximumMemoryBytes != nil || configuration.jobsPerWorker > 1
        case .reply(.takenBack), .workerEnded, .notBegun, .refused: false
        }
    }

    /// Returns how an attempt ended, and the memory of the worker in bytes if it is needed.
    private func details(of end: AttemptEnd, _ order: AttemptOrder) async -> (AttemptEnd, memoryBytes: Int?) {
        let memory = configuration.reuse.maximumMemoryBytes != nil ? order.worker.memoryBytes : nil
        guard case .reply(.threw(let error, _)) = end, mayBeKilledByNeighbour(order),
            let program = system.registeredError(error) as? ProgramError, program.wasKilled,
            let worker = try? await order.worker.ended.value(within: Self.leaveTimeout)
        else { return (end, memory) }
        // A worker that exits kills all programs first, and its other threads run on until it is gone. So the answer of
        // a neighbour that is a program can come before the end that has killed it.
        return (.workerEnded(worker), nil)
    }

    /// Returns whether a neighbour can be the reason why the program of an attempt was killed. If the job was cancelled
    /// or has passed a limit, its program was killed for that.
    private func mayBeKilledByNeighbour(_ order: AttemptOrder) -> Bool {
        let job = JobID(order.message.job)
        return core.withLock { core in
            core.queue.hadNeighbour(job) && core.records[job]?.attempt?.state.phase == .running
        }
    }

    private func call(_ order: AttemptOrder) async -> AttemptEnd {
        // Not when the attempt was taken from the queue: measuring reads a file, and the pool is locked there.
        if order.measuresCPUTime, let time = await offLoop({ order.worker.cpuTime }) {
            update(order.message.number) { $0.state.begins(withCPUTime: time) }
        }
        do {
            let runner = try JobRunner.resolve(id: order.member, using: system)
            guard order.message.input.count > Self.largeInput else {
                return .reply(try await runner.run(order.message))
            }
            return .reply(try await offLoop { try await runner.run(order.message) })
        } catch let error as ActorCallError {
            switch (error.code, error.delivery) {
            case (.lost, .notSent), (.unknownProcess, _), (.unknownActor, _): return .notBegun
            case (.lost, _):
                // This is complete already, because the worker's end is known before its calls end.
                let end = try? await order.worker.ended.value(within: Self.endTimeout)
                return .workerEnded(end ?? nil)
            default: return .refused("\(error)")
            }
        } catch {
            return .refused("\(error)")
        }
    }

    // MARK: Limits

    /// Sets a timer for the next check of an attempt, if one is needed.
    func timer(of attempt: JobRecord.Attempt) -> Timers.Key? {
        guard let delay = attempt.state.nextCheck(after: .now) else { return nil }
        let number = attempt.number
        return TimerThread.shared.after(delay) { [weak self] in
            // Not on the thread of the timers: measuring reads a file.
            Task(executorPreference: ThreadPool.shared) { self?.check(number) }
        }
    }

    /// Compares an attempt with its limits.
    private func check(_ number: UInt64) {
        let attempt = core.withLock { core in core.attempts[number].flatMap { core.records[$0]?.attempt } }
        guard let attempt else { return }
        var usage = JobAttemptState.Usage()
        if attempt.state.measures {
            usage = .init(cpuTime: attempt.worker.cpuTime, memoryBytes: attempt.worker.memoryBytes)
            if let program = attempt.program {
                usage.cpuTime = usage.cpuTime.map { $0 + program.cpuTime }
                usage.memoryBytes = usage.memoryBytes.map { $0 + program.memoryBytes }
            }
        }
        change(number) { $0.check(at: .now, usage) }
    }

    /// Changes the state of an attempt, and does what it orders.
    private func change(_ number: UInt64, _ input: (inout JobAttemptState) -> JobAttemptState.Order?) {
        let found = core.withLock { core -> (JobAttemptState.Order?, JobRecord.Attempt, JobRecord, hasProgram: Bool)? in
            guard let job = core.attempts[number], let record = core.records[job], var attempt = record.attempt else {
                return nil
            }
            let order = input(&attempt.state)
            if let timer = attempt.timer { TimerThread.shared.cancel(timer) }
            attempt.timer = timer(of: attempt)
            if case .endWorker? = order { attempt.endOrdered = .now }
            core.records[job]?.attempt = attempt
            var hasProgram = record.runsProgram
            if case .endWorker? = order {
                for neighbour in interruptNeighbours(of: job, attempt.member, &core) where neighbour.runsProgram {
                    hasProgram = true
                }
            }
            return (order, attempt, record, hasProgram)
        }
        guard let (order, attempt, record, hasProgram) = found else { return }
        switch order {
        case .cancel?:
            Task(executorPreference: ThreadPool.shared) { [system] in
                // If the worker cannot be reached, the attempt ends anyway.
                try? await JobRunner.resolve(id: attempt.member, using: system).cancel(number)
            }
        case .endWorker(let stop)?:
            // A worker without a program that has too much memory gets no time to take more.
            guard hasProgram || !stop.isMemory else {
                return endWorker(of: attempt, for: stop, record.options.limits)
            }
            Task(executorPreference: ThreadPool.shared) {
                await self.prepareEnd(of: attempt, within: hasProgram ? Self.programEndTimeout : Self.flushTimeout)
                self.endWorker(of: attempt, for: stop, record.options.limits)
            }
        case nil: break
        }
    }

    /// Takes a worker that is about to be ended for a job out of the queue, and interrupts its other jobs, also the one
    /// that was sent there ahead.
    ///
    /// - Returns: The other jobs.
    private func interruptNeighbours(of job: JobID, _ member: LatticeActorID, _ core: inout Core) -> [JobRecord] {
        core.queue.leave(member)
        let ahead = core.queue.ahead[member].map { [$0] } ?? []
        return (core.queue.jobs(at: member) + ahead).filter { $0 != job }.compactMap { neighbour in
            guard let record = core.records[neighbour], var attempt = record.attempt else { return nil }
            attempt.state.interrupt()
            if let timer = attempt.timer { TimerThread.shared.cancel(timer) }
            attempt.timer = timer(of: attempt)
            core.records[neighbour]?.attempt = attempt
            return record
        }
    }

    private func endWorker(of attempt: JobRecord.Attempt, for stop: JobAttemptState.Stop, _ limits: JobLimits) {
        switch stop {
        case .limit(let passed): attempt.worker.end(forLimit: passed.name, because: "\(passed)")
        case .cancelled:
            attempt.worker.end(
                forLimit: "grace period",
                because: "was cancelled and has not ended within its grace period of \(limits.gracePeriod)"
            )
        }
    }

    /// Lets a worker kill its programs with their process groups, and send the last lines of its jobs. Without a
    /// cgroup, the end of the worker would leave a program that has removed the mark of the worker from its
    /// environment. Lines that are not sent in time are lost.
    private func prepareEnd(of attempt: JobRecord.Attempt, within limit: Duration) async {
        let ended = OneShot<Void>()
        Task(executorPreference: ThreadPool.shared) { [system] in
            // If the worker cannot be reached, its end is all that can be done.
            try? await JobRunner.resolve(id: attempt.member, using: system).prepareEnd()
            ended.complete()
        }
        await ended.wait(atMost: limit)
    }

    /// Cancels a job, wherever it is.
    func cancel(_ id: JobID) {
        let (number, notice, orders) = core.withLock { core -> (UInt64?, Notice?, PoolOrders) in
            guard let record = core.records[id] else { return (nil, nil, PoolOrders()) }
            if let attempt = record.attempt { return (attempt.number, nil, PoolOrders()) }
            if case .delayed(let timer) = record.phase { TimerThread.shared.cancel(timer) }
            guard core.queue.remove(id) else { return (nil, nil, PoolOrders()) }
            let notice = end(record, .failure(.cancelled(record.name, record.failures)), &core)
            // The job may have kept a worker or a key for itself.
            return (nil, notice, core.closing == nil ? begin(&core) : PoolOrders())
        }
        notice?.send(system)
        send(orders)
        if let number { change(number) { $0.cancel(at: .now) } }
    }

    /// Changes what is known of an attempt, if it still runs.
    private func update(_ number: UInt64, _ change: (inout JobRecord.Attempt) -> Void) {
        core.withLock { core in
            guard let job = core.attempts[number], var attempt = core.records[job]?.attempt else { return }
            change(&attempt)
            core.records[job]?.attempt = attempt
        }
    }

    /// Records the program that an attempt has started.
    func started(_ number: UInt64, _ process: Int32) {
        let program = MeasuredProgram(process)
        update(number) { $0.program = program }
    }

    /// Lets the worker of a job send the lines of the job while they are printed, because a reader follows them.
    func followLines(of id: JobID) {
        // An attempt that begins later is sent with the same request.
        guard let attempt = core.withLock({ $0.records[id]?.attempt }) else { return }
        Task(executorPreference: ThreadPool.shared) { [system] in
            // If the worker cannot be reached, the attempt ends, and has no more lines.
            try? await JobRunner.resolve(id: attempt.member, using: system).followLines(of: attempt.number)
        }
    }

    /// Records lines that an attempt has printed. They count as progress.
    func printed(_ number: UInt64, _ lines: [JobOutputLine]) {
        let box = core.withLock { core in core.attempts[number].flatMap { core.records[$0]?.submitted.lines } }
        update(number) { $0.state.reported(at: .now) }
        box?.add(lines)
    }

    /// Records a progress report.
    func progressed(_ number: UInt64, _ progress: JobProgress, _ count: UInt64) {
        let now = Instant.now
        let change = core.withLock { core -> OneShot<Void>? in
            guard let job = core.attempts[number], var attempt = core.records[job]?.attempt,
                count > attempt.lastReport
            else { return nil }
            attempt.lastReport = count
            attempt.state.reported(at: now)
            core.records[job]?.attempt = attempt
            return core.records[job]?.progressed(progress, at: now)
        }
        change?.complete(())
    }
}
