public import LatticeCore

/// The failure of one attempt of a job.
public struct JobFailure: Sendable, Hashable, Codable, CustomStringConvertible {
    /// Why an attempt failed.
    public enum Cause: Sendable, Hashable, Codable {
        /// The job threw an error of this type, with this description.
        case threw(type: String, text: String)
        /// The job passed a limit.
        case limit(PassedJobLimit)
        /// The job ended its worker.
        case workerEnded(Interruption.Cause)
        /// The worker ended for a reason that is not the job's, such as a signal from outside.
        case workerLost(Interruption.Cause)
        /// The job was cancelled.
        case cancelled
        /// The job could not be sent, run or answered, for the reason in this sentence.
        case call(String)
    }

    /// The number of the attempt, from 1.
    public let attempt: Int
    /// Why the attempt failed.
    public let cause: Cause
    /// The time from the start of the attempt to its end.
    public let duration: Duration
    /// A Boolean value that indicates whether the worker ended because of the job: by a crash, or because the pool
    /// killed it after the job had passed a limit. A worker that was killed for a cancelled job does not count.
    public let endedWorker: Bool
    /// Information about the end of the worker, with its last lines of output, or nil if the worker did not end.
    public let report: CrashReport?
    /// The time from the decision to end the worker to the end of the attempt, or nil if there was no such decision.
    package var endDelay: Duration?

    /// A sentence such as "Attempt 2 failed: the worker was killed by signal 11 (SIGSEGV)."
    public var description: String { "Attempt \(attempt) failed: \(cause.sentence)" }
}

extension JobFailure.Cause: CustomStringConvertible {
    /// A clause such as "the job threw Missing: no file a.txt".
    public var description: String {
        switch self {
        case .threw(let type, let text): "the job threw \(type): \(text)"
        case .limit(let passed): "the job \(passed)"
        case .workerEnded(let cause): "the job ended its worker, which \(cause.predicate)"
        case .workerLost(let cause): "the worker \(cause.predicate)"
        case .cancelled: "the job was cancelled"
        case .call(let reason): reason
        }
    }

    /// The description with a full stop, which the error of a job may have already.
    var sentence: String {
        let text = description
        return text.hasSuffix(".") ? text : text + "."
    }

    /// The kind of the cause for the rules of retries. The empty set is never retried.
    var kind: JobRetries.Causes {
        switch self {
        case .threw: .thrown
        case .limit: .limit
        case .workerEnded: .workerEnded
        case .workerLost: .workerLost
        case .cancelled, .call: []
        }
    }
}

extension Interruption.Cause {
    /// The description with the auxiliary that it needs in a sentence.
    fileprivate var predicate: String {
        if case .signal = self { return "was \(self)" }
        return description
    }
}
