import LatticeActors
import LatticeConcurrency
import LatticeCore

/// The jobs that are sent to workers ahead, so that a worker does not wait for its next job.
extension JobPool {
    /// The time up to which a job is short. Behind a longer one nothing is sent ahead: waiting for the next job costs a
    /// worker 0.1 to 0.2 ms, which matters only to jobs that are not much longer. A job that was sent ahead is taken
    /// back after this time, or twice of it at most.
    private static let shortTime: Duration = .milliseconds(5)
    /// The size in bytes up to which an encoded job is sent on the event loop. A larger one is sent by another thread,
    /// because copying it would delay what the event loop does for others. Behind it nothing is sent ahead, which could
    /// arrive before it.
    static let largeInput = 65_536

    static func isShort(_ attempt: JobRecord.Attempt) -> Bool { attempt.state.start.duration(to: .now) < shortTime }

    /// Adds the attempts that are sent ahead, and those that are taken back, to what has to be sent.
    func sendAhead(_ core: inout Core, _ orders: inout PoolOrders) {
        guard core.queue.ahead.isUsed else { return }
        for ahead in takeAhead(&core) {
            guard let earlier = core.records[ahead.earlier]?.attempt,
                let order = begin(ahead.job, at: ahead.member, earlier.worker, after: earlier.number, &core)
            else {
                core.queue.putBack(ahead.job)
                continue
            }
            orders.attempts.append(order)
        }
        for job in core.queue.takeRecalls() {
            if let attempt = core.records[job]?.attempt { orders.recalls.append(attempt) }
        }
        guard core.aheadTimer == nil, !core.queue.ahead.members.isEmpty else { return }
        core.aheadTimer = TimerThread.shared.after(Self.shortTime) { [weak self] in
            Task(executorPreference: ThreadPool.shared) { self?.recallBehindLongJobs() }
        }
    }

    private func takeAhead(_ core: inout Core) -> [JobQueueState<LatticeActorID>.Ahead] {
        // A copy, which is gone before the records change.
        let records = core.records
        return core.queue.takeAhead { records[$0]?.attempt.map(Self.isShort) ?? false }
    }

    /// Takes back the attempts before which a long job runs. Their jobs wait at their places in the order again.
    private func recallBehindLongJobs() {
        update { core in
            core.aheadTimer = nil
            for member in core.queue.ahead.members {
                guard let job = core.queue.jobs(at: member).first, let attempt = core.records[job]?.attempt,
                    !Self.isShort(attempt)
                else { continue }
                core.queue.setShort(false, at: member)
                core.queue.recall(at: member)
            }
        }
    }

    /// Begins the attempt that was sent ahead to a worker, because the attempt before it has ended there.
    ///
    /// - Returns: What readers of the status wait for.
    func beginAhead(at member: LatticeActorID, _ core: inout Core) -> OneShot<Void>? {
        guard let job = core.queue.beginAhead(at: member), var record = core.records[job],
            var attempt = record.attempt
        else { return nil }
        if record.isLarge { core.queue.setShort(false, at: member) }
        attempt.state.begin(at: .now)
        if let timer = attempt.timer { TimerThread.shared.cancel(timer) }
        attempt.timer = timer(of: attempt)
        record.attempt = attempt
        core.records[job] = record
        let count = record.attempts
        // Not the whole status, because the first report of the job may have arrived already.
        return record.submitted.box.update { $0.phase = .running(attempt: count) }
    }
}
