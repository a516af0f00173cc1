import LatticeCore

/// The rules for running a job again after a failed attempt.
///
/// ```swift
/// let retries = JobRetries(attempts: 3, after: [.workerEnded, .workerLost])
/// ```
public struct JobRetries: Sendable, Hashable, Codable {
    /// Kinds of failures.
    public struct Causes: OptionSet, Sendable, Hashable, Codable {
        /// The kinds as bits.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The job threw an error.
        public static let thrown = Causes(rawValue: 1)
        /// The job passed one of its limits.
        public static let limit = Causes(rawValue: 2)
        /// The job ended its worker, for example by a crash.
        public static let workerEnded = Causes(rawValue: 4)
        /// The worker ended for a reason that is not the job's, for example because it was killed from outside.
        public static let workerLost = Causes(rawValue: 8)
        /// All kinds.
        public static let all: Causes = [.thrown, .limit, .workerEnded, .workerLost]
    }

    /// The delay after the first failed attempt.
    public var initialDelay: Duration
    /// The maximum delay. The delay doubles with each attempt, and varies by a fifth at random.
    public var maximumDelay: Duration
    /// The maximum number of attempts, including the first one, from 1 to ``maximumAttempts``. With 1, the job is not
    /// run again.
    public var attempts: Int
    /// The kinds of failures after which the job runs again.
    public var causes: Causes
    /// The number of workers that the job may end, by a crash or by passing a limit, before it is set aside. It is then
    /// not run again until the program calls `JobPool.retry(_:as:)`. The value must be at least 1.
    public var maximumEndedWorkers: Int

    /// The maximum value of ``attempts``: 1,000.
    public static var maximumAttempts: Int { 1000 }

    /// Creates rules. By default a job runs once.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, including the first one.
    ///   - initialDelay: The delay after the first failed attempt.
    ///   - maximumDelay: The maximum delay.
    ///   - causes: The kinds of failures after which the job runs again.
    ///   - maximumEndedWorkers: The number of workers that the job may end before it is set aside.
    public init(
        attempts: Int = 1,
        initialDelay: Duration = .milliseconds(100),
        maximumDelay: Duration = .seconds(30),
        after causes: Causes = .all,
        maximumEndedWorkers: Int = 2
    ) {
        self.attempts = attempts
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
        self.causes = causes
        self.maximumEndedWorkers = maximumEndedWorkers
    }

    func check() throws(JobError) {
        guard 1...Self.maximumAttempts ~= attempts else {
            throw .invalid("retries.attempts is \(attempts); choose 1 to \(Self.maximumAttempts)")
        }
        guard initialDelay >= .zero, maximumDelay >= .zero else {
            throw .invalid("retries has a negative delay; choose delays of 0 or more")
        }
        guard maximumEndedWorkers > 0 else {
            throw .invalid("retries.maximumEndedWorkers is \(maximumEndedWorkers); choose 1 or more")
        }
    }

    private var backoff: Backoff {
        .exponential(from: initialDelay, maximumDelay: maximumDelay, attempts: attempts)
    }

    /// The step after a failed attempt.
    enum Next: Equatable {
        case retry(after: Duration)
        /// The job failed, or was cancelled.
        case fail
        /// The job ended too many workers.
        case setAside
    }

    /// Decides what happens after a failed attempt.
    ///
    /// - Parameters:
    ///   - failure: The failure of the attempt.
    ///   - endedWorkers: The number of workers that the job has ended, including that of this attempt.
    ///   - generator: The source of randomness for the delay.
    func next(
        after failure: JobFailure,
        endedWorkers: Int,
        using generator: inout some RandomNumberGenerator
    ) -> Next {
        if failure.endedWorker, endedWorkers >= maximumEndedWorkers { return .setAside }
        // The empty set, which is the kind of a cancellation, is contained in every other set.
        guard !failure.cause.kind.isEmpty, causes.contains(failure.cause.kind),
            let delay = backoff.delay(after: failure.attempt, using: &generator)
        else { return .fail }
        return .retry(after: delay)
    }
}
