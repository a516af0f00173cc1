import Distributed
import LatticeActors
import LatticeCalls
import LatticeConcurrency

/// Receives what workers, clients and effects send to a pool, in the process of the coordinator.
distributed actor JobDesk: CallReading {
    typealias ActorSystem = LatticeActorSystem

    /// The maximum number of jobs whose callers want to follow them and have not begun to. Further ones are not
    /// followed.
    private static let maximumUnfollowed = 4096
    /// The time that the job of a caller may arrive after the request to follow it.
    private static let followTimeout: Duration = .seconds(10)

    private weak let pool: JobPool?
    /// The jobs of callers that want to follow them and have not begun to, by the numbers that the callers chose. The
    /// job and the request to follow it may arrive in any order.
    private var unfollowed: [UInt64: OneShot<SubmittedJob?>] = [:]

    init(of pool: JobPool, actorSystem: LatticeActorSystem) {
        self.pool = pool
        self.actorSystem = actorSystem
    }

    /// Records a progress report of an attempt.
    distributed func progressed(_ attempt: UInt64, _ progress: JobProgress, _ count: UInt64) {
        pool?.progressed(attempt, progress, count)
    }

    /// Records the program that an attempt has started.
    distributed func started(_ attempt: UInt64, _ process: Int32) {
        pool?.started(attempt, process)
    }

    /// Records lines that an attempt has printed.
    distributed func printed(_ attempt: UInt64, _ lines: [JobOutputLine]) {
        pool?.printed(attempt, lines)
    }

    /// Runs a job of another process. Cancelling the call cancels the job.
    distributed func run(_ order: RemoteJobOrder) async -> RemoteJobReply {
        guard let pool else { return .refused(.closed(order.name)) }
        let submitted: SubmittedJob
        do {
            submitted = try pool.submit(
                order.name,
                order.input,
                order.options ?? pool.configuration.options,
                of: CurrentCall.caller,
                // A reader comes, although its request may arrive after the job has begun.
                lines: order.lineTicket == nil ? .never : .now
            )
        } catch {
            // There is nothing to follow. A request that arrives later is cancelled by the caller.
            for case let ticket? in [order.ticket, order.lineTicket] { unfollowed[ticket]?.complete(nil) }
            return .refused(error)
        }
        for case let ticket? in [order.ticket, order.lineTicket] { promise(of: ticket)?.complete(submitted) }
        // A caller that is gone, or has given up, does not follow its job any more.
        defer {
            if Task.isCancelled {
                for case let ticket? in [order.ticket, order.lineTicket] { unfollowed[ticket] = nil }
            }
        }
        switch await submitted.end(in: pool) {
        case .success(let output): return .returned(output)
        case .failure(let error): return .failed(error, error.cause.map { ThrownError($0, actorSystem) })
        }
    }

    /// Follows a job that was passed to ``run(_:)`` with a ticket.
    distributed func updates(of ticket: UInt64) async throws -> ActorStream<JobStatus> {
        defer { unfollowed[ticket] = nil }
        guard let submitted = try await submitted(as: ticket) else {
            return ActorStream([JobStatus]())
        }
        return ActorStream(JobUpdates(box: submitted.box))
    }

    /// Follows the lines of a job that was passed to ``run(_:)`` with a ticket for them.
    distributed func lines(of ticket: UInt64) async throws -> ActorStream<JobOutputLine> {
        defer { unfollowed[ticket] = nil }
        guard let submitted = try await submitted(as: ticket) else {
            return ActorStream([JobOutputLine]())
        }
        return ActorStream(
            JobLines(box: submitted.lines) { [weak pool] in pool?.followLines(of: submitted.id) }
        )
    }

    /// Waits for the job with a ticket. Returns nil if it is refused, arrives too late, or there are too many.
    private func submitted(as ticket: UInt64) async throws -> SubmittedJob? {
        try await promise(of: ticket)?.value(within: Self.followTimeout) ?? nil
    }

    /// Returns the promise of the job with a ticket, or nil if there are too many. The job is nil if it is refused.
    private func promise(of ticket: UInt64) -> OneShot<SubmittedJob?>? {
        if let promise = unfollowed[ticket] { return promise }
        guard unfollowed.count < Self.maximumUnfollowed else { return nil }
        let promise = OneShot<SubmittedJob?>()
        unfollowed[ticket] = promise
        return promise
    }
}

/// A job, as another process sends it to a pool.
struct RemoteJobOrder: Codable, Sendable {
    let name: String
    let input: [UInt8]
    /// The options of the job, or nil for those of the pool.
    let options: JobOptions?
    /// A random number under which the caller follows the job, or nil if it does not.
    let ticket: UInt64?
    /// The same for the lines of the job.
    let lineTicket: UInt64?
}

/// The end of a job, as a pool sends it to another process.
enum RemoteJobReply: Codable, Sendable {
    case returned([UInt8])
    /// The job failed. The second value is the error's cause, if it has one.
    case failed(JobError, ThrownError?)
    /// The job was not accepted, so there is nothing to follow.
    case refused(JobError)
}
