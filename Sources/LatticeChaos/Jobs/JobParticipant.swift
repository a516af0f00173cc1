import Glibc
import LatticeConcurrency
import LatticeJobs

/// A caller of a round, which runs all of its jobs at once.
final class JobParticipant: Sendable {
    /// The pool of the caller.
    enum Place: Sendable {
        case coordinator(JobPool)
        case client(RemoteJobPool)
    }

    private struct State {
        var records: [Int: ChaosJobRecord] = [:]
        /// The number of jobs that have ended.
        var ended = 0
    }

    let part: JobPart
    private let place: Place
    private let planned: [PlannedJob]
    private let state = Locked(State())

    init(_ part: JobPart, in place: Place) {
        self.part = part
        self.place = place
        planned = part.planned
    }

    /// Runs the jobs, and returns when all have ended.
    func work() async {
        if part.lifetime == 0 { kill(getpid(), SIGKILL) }
        await withDiscardingTaskGroup { group in
            for planned in planned {
                group.addTask(executorPreference: ThreadPool.shared) { [self] in note(await record(of: planned)) }
            }
        }
    }

    /// The number of its jobs that have ended.
    var endedJobs: Int { state.withLock(\.ended) }

    /// The jobs of the caller, and how they ended.
    var records: [ChaosJobRecord] {
        state.withLock { state in
            planned.map { state.records[$0.job.identifier.number] ?? ChaosJobRecord(job: $0.job, end: .never) }
        }
    }

    private func note(_ record: ChaosJobRecord) {
        let ended = state.withLock { state in
            state.records[record.job.identifier.number] = record
            state.ended += 1
            return state.ended
        }
        if ended == part.lifetime { kill(getpid(), SIGKILL) }
    }

    private func record(of planned: PlannedJob) async -> ChaosJobRecord {
        guard let program = planned.job.deed.program else {
            let output = planned.job.output
            return await record(of: planned, planned.job) { $0 == output }
        }
        return await record(of: planned, program) { $0.outputText == "42\n" }
    }

    private func record<J: Job>(
        of planned: PlannedJob,
        _ job: J,
        isRight: @Sendable @escaping (J.Output) -> Bool
    ) async -> ChaosJobRecord {
        switch place {
        case .coordinator(let pool): await record(of: planned, job, in: pool, isRight)
        case .client(let pool): await record(of: planned, job, in: pool, isRight)
        }
    }

    private func record<J: Job>(
        of planned: PlannedJob,
        _ job: J,
        in pool: JobPool,
        _ isRight: (J.Output) -> Bool
    ) async -> ChaosJobRecord {
        do {
            let handle = try pool.submit(job, options: planned.options)
            var cancelled: ContinuousClock.Instant?
            if planned.job.deed == .cancelled {
                if !planned.isCancelledWhileWaiting { await handle.waitUntilRunning() }
                try await Task.sleep(for: .milliseconds(planned.cancelMilliseconds))
                cancelled = .now
                handle.cancel()
            }
            let end: ChaosJobRecord.End
            do {
                end = .returned(isRight: isRight(try await handle.output))
            } catch {
                end = ChaosJobRecord.End(error)
            }
            let cancelTime = cancelled.map { $0.duration(to: .now) }
            return ChaosJobRecord(
                job: planned.job,
                end: end,
                cancelTime: cancelTime,
                hasOtherStatus: handle.status.phase != (end.isSuccess ? .succeeded : .failed)
            )
        } catch {
            return ChaosJobRecord(job: planned.job, end: ChaosJobRecord.End(error))
        }
    }

    private func record<J: Job>(
        of planned: PlannedJob,
        _ job: J,
        in pool: RemoteJobPool,
        _ isRight: @Sendable @escaping (J.Output) -> Bool
    ) async -> ChaosJobRecord {
        let last = Locked<JobStatus?>(nil)
        let options = planned.options
        let running = Task(executorPreference: ThreadPool.shared) { () -> ChaosJobRecord.End in
            do {
                let output = try await pool.run(job, options: options) { status in
                    last.withLock { $0 = status }
                } onLine: { _ in
                }
                return .returned(isRight: isRight(output))
            } catch {
                return ChaosJobRecord.End(error)
            }
        }
        var cancelled: ContinuousClock.Instant?
        if planned.job.deed == .cancelled {
            try? await Task.sleep(for: .milliseconds(planned.cancelMilliseconds))
            cancelled = .now
            running.cancel()
        }
        let end = await running.value
        let phase = last.withLock(\.self)?.phase
        return ChaosJobRecord(
            job: planned.job,
            end: end,
            cancelTime: cancelled.map { $0.duration(to: .now) },
            // A caller that was cancelled follows its job no more.
            hasOtherStatus: cancelled == nil && phase != (end.isSuccess ? .succeeded : .failed)
        )
    }
}

extension JobHandle {
    /// Waits until the job runs or has ended.
    fileprivate func waitUntilRunning() async {
        for await status in updates {
            switch status.phase {
            case .waiting, .retrying: continue
            case .running, .succeeded, .failed: return
            }
        }
    }
}
