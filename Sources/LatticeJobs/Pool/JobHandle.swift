import LatticeCoding
import LatticeConcurrency

/// A job that was submitted to a ``JobPool``.
///
/// ```swift
/// let handle = try farm.submit(Compress(path: path))
/// for await status in handle.updates { print(status.progress.fraction ?? 0) }
/// let size = try await handle.output
/// ```
///
/// The job continues if the handle is released.
public struct JobHandle<J: Job>: Sendable {
    /// The identity of the job.
    public let id: JobID
    let submitted: SubmittedJob
    let pool: JobPool

    /// The output of the job. Reading it waits for the end of the job.
    ///
    /// It throws ``JobError`` if the job has no output. It throws `CancellationError` if the waiting task is cancelled
    /// first. This does not cancel the job.
    public var output: J.Output {
        get async throws { try decode(try await submitted.outcome.value) }
    }

    /// The present status of the job.
    public var status: JobStatus { submitted.box.status }

    /// The status of the job as a sequence that follows the job to its end.
    public var updates: JobUpdates { JobUpdates(box: submitted.box) }

    /// The lines that the job prints, as a sequence that follows the job to its end.
    ///
    /// A ``ProgramJob`` prints what its program writes to its standard output and standard error, as long as these are
    /// not files. Other jobs print with ``JobContext/print(_:to:)``. ``JobLines`` says which lines are lost if the
    /// worker of the job ends.
    public var lines: JobLines {
        JobLines(box: submitted.lines) { [pool, id] in pool.followLines(of: id) }
    }

    /// Cancels the job. It ends with the code `cancelled`.
    ///
    /// A waiting job ends at once. If it was sent ahead, it ends when its worker has given it back; a worker that does
    /// not answer for the grace period, or 250 ms if that is longer, is killed. The task of a running job is cancelled,
    /// and its worker is killed if the job has not ended after the grace period of its limits. A job that returns its
    /// output nevertheless has succeeded. The function does nothing if the job has ended.
    public func cancel() {
        pool.cancel(id)
    }

    /// Waits for the end of the job, and cancels the job if the waiting task is cancelled.
    func run() async throws -> J.Output {
        let outcome = await submitted.end(in: pool)
        do {
            return try decode(outcome)
        } catch let error as JobError where error.code == .cancelled && Task.isCancelled {
            throw CancellationError()
        }
    }

    private func decode(_ result: JobOutcome) throws -> J.Output { try result.decoded(as: J.self) }
}

/// The encoded output of a job, or its error.
typealias JobOutcome = Result<[UInt8], JobError>

extension JobOutcome {
    func decoded<J: Job>(as type: J.Type) throws -> J.Output {
        let bytes = try get()
        do {
            return try CBORDecoder().decode(J.Output.self, from: bytes)
        } catch {
            throw JobError.undecodable(J.name, error)
        }
    }
}

/// What the handles of a job have in common.
struct SubmittedJob: Sendable {
    let id: JobID
    let outcome = OneShot<JobOutcome>()
    let box = JobStatusBox()
    let lines: JobLineBox

    /// Waits for the end of the job, and cancels the job if the waiting task is cancelled.
    func end(in pool: JobPool) async -> JobOutcome {
        await withTaskCancellationHandler {
            if let result = await outcome.wait() { return result }
            // The caller waits until nothing of the job is left. This takes at most its grace period.
            return await Task(executorPreference: ThreadPool.shared) { await outcome.wait() }.value
                ?? .failure(.cancelled("\(id)", []))
        } onCancel: {
            pool.cancel(id)
        }
    }
}
