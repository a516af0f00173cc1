public import LatticeActors
import LatticeCoding
import LatticeConcurrency

/// The pool of a coordinator, for its clients and for effects in its workers.
///
/// ```swift
/// let system = LatticeActorSystem(client)
/// let farm = try await system.jobPool(of: "farm", within: .seconds(5))
/// let size = try await farm.run(Compress(path: path))
/// ```
///
/// The job runs in a worker of the pool's group, next to the jobs of the coordinator's own program and of other
/// clients. The calling process needs the type of the job, and does not host it.
public struct RemoteJobPool: Sendable {
    let desk: JobDesk
    let system: LatticeActorSystem

    /// Runs a job and returns its output.
    ///
    /// Cancelling the calling task cancels the job. The function then returns after at most a second, and the job ends
    /// within the grace period of its limits. If the connection to the coordinator is lost, the job is cancelled too.
    ///
    /// - Parameters:
    ///   - job: The job.
    ///   - options: The order, limits and retries of the job, or nil for those of the pool's configuration.
    ///   - onUpdate: Receives the status of the job, the newest one each time, in the order of the changes. The
    ///     function returns after the last status was received. With nil, no status is sent.
    ///   - onLine: Receives the lines that the job prints, in their order. A caller that is slower than the job misses
    ///     lines, and ``JobOutputLine/omittedBefore`` says how many. With nil, no line is sent.
    /// - Returns: The output of the job.
    /// - Throws: ``JobError`` if the job has no output. The code is `closed` if the pool has ended or the connection
    ///   was lost. `CancellationError` if the calling task was cancelled.
    public func run<J: Job>(
        _ job: J,
        options: JobOptions? = nil,
        onUpdate: (@Sendable (JobStatus) -> Void)? = nil,
        onLine: (@Sendable (JobOutputLine) -> Void)? = nil
    ) async throws -> J.Output {
        let input: [UInt8]
        do {
            input = try CBOREncoder().encode(job)
        } catch {
            throw JobError.unencodable(J.name, error)
        }
        let ticket = onUpdate == nil ? nil : UInt64.random(in: 0...(.max))
        let lineTicket = onLine == nil ? nil : UInt64.random(in: 0...(.max))
        let order = RemoteJobOrder(
            name: J.name,
            input: input,
            options: options,
            ticket: ticket,
            lineTicket: lineTicket
        )
        let reply = try await withThrowingTaskGroup(of: Void.self) { group in
            if let ticket, let onUpdate {
                group.addTask { await follow(ticket, onUpdate) }
            }
            if let lineTicket, let onLine {
                group.addTask { await followLines(lineTicket, onLine) }
            }
            // If the call fails, the task that follows the job is cancelled.
            let reply = try await send(order)
            if case .refused = reply { group.cancelAll() }
            return reply
        }
        switch reply {
        case .returned(let output): return try JobOutcome.success(output).decoded(as: J.self)
        case .refused(let error): throw error
        case .failed(let error, _) where error.code == .cancelled && Task.isCancelled: throw CancellationError()
        case .failed(let error, let thrown):
            let cause = thrown.flatMap { system.registeredError($0) }
            throw JobError(error.code, error.message, failures: error.failures, cause: cause)
        }
    }

    private func send(_ order: RemoteJobOrder) async throws -> RemoteJobReply {
        do {
            return try await desk.run(order)
        } catch let error as ActorCallError {
            if Task.isCancelled { throw CancellationError() }
            throw JobError.unreachable(order.name, error)
        }
    }

    private func followLines(_ ticket: UInt64, _ onLine: @Sendable (JobOutputLine) -> Void) async {
        do {
            for try await line in try await desk.lines(of: ticket) { onLine(line) }
        } catch {
            // The call of the job has the same problem, and reports it.
        }
    }

    private func follow(_ ticket: UInt64, _ onUpdate: @Sendable (JobStatus) -> Void) async {
        do {
            for try await status in try await desk.updates(of: ticket) { onUpdate(status) }
        } catch {
            // The call of the job has the same problem, and reports it.
        }
    }
}

extension LatticeActorSystem {
    /// Finds the pool of a coordinator, from a client or from a worker.
    ///
    /// - Parameters:
    ///   - group: The name of the pool's group.
    ///   - limit: The time to wait until the coordinator has such a pool.
    /// - Returns: The pool. It belongs to one run of `withJobPool(of:in:)` in the coordinator.
    /// - Throws: The errors of `resolve(_:named:within:)`, such as `ActorCallError` with the code `unknownName` if
    ///   there is no such pool within `limit`.
    public func jobPool(of group: String, within limit: Duration = .zero) async throws -> RemoteJobPool {
        register(errors: ProgramError.self)
        let desk = try await resolve(JobDesk.self, named: JobActorNames.desk(of: group), within: limit)
        return RemoteJobPool(desk: desk, system: self)
    }
}
