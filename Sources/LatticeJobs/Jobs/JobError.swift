/// The reason why a job has no output.
///
/// ```swift
/// do {
///     let size = try await farm.run(Compress(path: path))
/// } catch let error as JobError where error.code == .limit {
///     print(error)  // The job "compress" failed: the job ran for 60.003 seconds, and its limit is 60.0 seconds. …
/// }
/// ```
public struct JobError: Error, Sendable, CustomStringConvertible {
    /// The kind of a ``JobError``. Later versions may add codes.
    public struct Code: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name of the code, such as "limit".
        public let description: String

        /// The job threw an error. The `cause` is the error itself if its type is registered on both sides with
        /// `LatticeActorSystem.register(errors:)`.
        public static let threw = Code(description: "threw")
        /// The job passed one of its limits.
        public static let limit = Code(description: "limit")
        /// The job ended its worker, for example by a crash.
        public static let workerEnded = Code(description: "workerEnded")
        /// The worker ended for a reason that is not the job's. The job may have done any part of its work.
        public static let workerLost = Code(description: "workerLost")
        /// The job ended as many workers as it may, and was set aside.
        public static let setAside = Code(description: "setAside")
        /// The job was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The queue of the pool is full.
        public static let overloaded = Code(description: "overloaded")
        /// The pool has ended, or it cannot be reached.
        public static let closed = Code(description: "closed")
        /// The worker does not host the job, or one side cannot encode or decode the job or its output.
        public static let refused = Code(description: "refused")
        /// An option has an invalid value, or the pool has no job with the identity.
        public static let invalid = Code(description: "invalid")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence that says what happened and what to do next.
    public let message: String
    /// The failures of all attempts, oldest first. At most the last ``maximumFailures`` are kept.
    public let failures: [JobFailure]
    /// The underlying error, if there is one.
    public internal(set) var cause: (any Error)?

    /// The maximum number of failures of a job that are kept: 16.
    public static var maximumFailures: Int { 16 }

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ message: String, failures: [JobFailure] = [], cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.failures = failures
        self.cause = cause
    }
}

extension JobError: Codable {
    private enum CodingKeys: String, CodingKey {
        case code, message, failures
    }

    /// Decodes an error of another process. It has no underlying error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            Code(description: try container.decode(String.self, forKey: .code)),
            try container.decode(String.self, forKey: .message),
            failures: try container.decode([JobFailure].self, forKey: .failures)
        )
    }

    /// Encodes the error without its underlying error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code.description, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encode(failures, forKey: .failures)
    }
}

/// The errors of this module, in one place.
extension JobError {
    /// Returns the error of a job whose last attempt failed.
    static func failed(_ name: String, _ failures: [JobFailure], isSetAside: Bool) -> JobError {
        guard let last = failures.last else { return closed(name) }
        let attempts = failures.count == 1 ? "" : " after \(last.attempt) attempts"
        if isSetAside {
            let count = failures.count(where: \.endedWorker)
            return JobError(
                .setAside,
                "The job \"\(name)\" ended \(count) \(count == 1 ? "worker" : "workers") and was set aside, the last"
                    + " time because \(last.cause.sentence) Fix it, then call retry(_:as:) or drop(_:) of its pool.",
                failures: failures
            )
        }
        let (code, advice): (Code, String) =
            switch last.cause {
            case .threw: (.threw, "")
            case .limit: (.limit, " Raise the limit, or divide the work into smaller jobs.")
            case .workerEnded: (.workerEnded, " The report of the failure has the last output of the worker.")
            case .workerLost: (.workerLost, " Run the job again if that does no harm, or allow it retries.")
            case .cancelled: (.cancelled, "")
            case .call: (.refused, "")
            }
        return JobError(
            code,
            "The job \"\(name)\" failed\(attempts): \(last.cause.sentence)\(advice)",
            failures: failures
        )
    }

    static func cancelled(_ name: String, _ failures: [JobFailure]) -> JobError {
        JobError(.cancelled, "The job \"\(name)\" was cancelled. Submit it again if it is needed.", failures: failures)
    }

    static func overloaded(_ limit: Int) -> JobError {
        JobError(.overloaded, "\(limit) jobs already wait in the pool. Wait for some to end, or raise maximumWaiting.")
    }

    static func closed(_ name: String) -> JobError {
        JobError(.closed, "The job \"\(name)\" did not run, because its pool has ended. Use a pool inside withJobPool.")
    }

    static func unreachable(_ name: String, _ error: any Error) -> JobError {
        JobError(
            .closed,
            "The job \"\(name)\" has no result here, because its pool cannot be reached. If it had begun, it is cancelled."
                + " Find the pool again, and run the job again if that does no harm.",
            cause: error
        )
    }

    static func undecodable(_ name: String, _ error: any Error) -> JobError {
        JobError(
            .refused,
            "The output of the job \"\(name)\" cannot be decoded. Build both programs from the same source.",
            cause: error
        )
    }

    static func unencodable(_ name: String, _ error: any Error) -> JobError {
        JobError(.refused, "The job \"\(name)\" cannot be encoded. Fix the type that the cause names.", cause: error)
    }

    static func unknown(_ id: JobID) -> JobError {
        JobError(.invalid, "No job with the number \(id.number) is set aside. Take the identity from setAsideJobs.")
    }

    static func otherType(_ id: JobID, _ name: String, not other: String) -> JobError {
        JobError(.invalid, "The \(id) is called \"\(name)\" and not \"\(other)\". Retry it as a job of that type.")
    }

    static func invalid(_ problem: String) -> JobError {
        JobError(.invalid, "A job's options are invalid: \(problem).")
    }
}
