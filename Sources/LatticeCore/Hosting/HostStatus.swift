/// Where a view model's interactor lives, and how it is doing there.
public enum HostStatus: Sendable, Equatable {
    /// In this process.
    case local
    /// On the way to the first incarnation, or to the coordinator.
    case connecting
    case serving(Serving)
    /// There is a worker, which does not answer: it will again, or is ended.
    case unresponsive(Unresponsive)
    /// The last incarnation died; another one is to follow.
    case restarting(Restart)
    /// Finishes what is running and takes nothing new.
    case draining
    /// Given up, until somebody resets it.
    case failed(HostFailure)
    /// What only a later version of the coordinator knows.
    case other(Other)

    /// A status of a later version.
    public struct Other: Sendable, Equatable {
        /// Its number there.
        public let number: Int
        /// What it says of it.
        public let sentence: String

        public init(number: Int, sentence: String) {
            self.number = number
            self.sentence = sentence
        }
    }

    /// A worker that handles events.
    public struct Serving: Sendable, Equatable {
        /// Grows with each life of the worker.
        public let incarnation: UInt64
        /// The worker's, on this host.
        public let processID: Int32
        /// In clients: the life of the coordinator that keeps the worker. Another number is another process of it,
        /// which may have begun anew. nil in the coordinator itself.
        public let coordinator: UInt64?
        /// What is wrong although it serves, in a sentence; nil: nothing. Effects of the worker get no thread, since
        /// others keep them all; or what is shown is older than what the worker has, whose newest state cannot be
        /// decoded here, or makes a view state that cannot be sent to clients.
        public package(set) var problem: String?

        public init(incarnation: UInt64, processID: Int32, coordinator: UInt64? = nil, problem: String? = nil) {
            self.incarnation = incarnation
            self.processID = processID
            self.coordinator = coordinator
            self.problem = problem
        }
    }

    /// A worker that does not answer.
    public struct Unresponsive: Sendable, Equatable {
        /// As in ``Serving``.
        public let incarnation: UInt64
        /// The worker's, on this host.
        public let processID: Int32
        /// What is known of why, in a sentence: a turn takes long, or its event loop stands still.
        public let reason: String

        public init(incarnation: UInt64, processID: Int32, reason: String) {
            self.incarnation = incarnation
            self.processID = processID
            self.reason = reason
        }
    }

    /// A worker that is to be started again.
    public struct Restart: Sendable, Equatable {
        /// 1 for the first one after a stable time.
        public let attempt: Int
        /// How long the supervisor waits before it starts the next incarnation.
        public let delay: Duration
        /// How the last incarnation ended; `cause.result` has systemd's word for it.
        public let cause: Interruption.Cause

        public init(attempt: Int, delay: Duration, cause: Interruption.Cause) {
            self.attempt = attempt
            self.delay = delay
            self.cause = cause
        }
    }
}

extension HostStatus {
    /// The same with a problem, if it serves and has none yet.
    package func with(problem: String?) -> HostStatus {
        guard let problem, case .serving(var serving) = self, serving.problem == nil else { return self }
        serving.problem = problem
        return .serving(serving)
    }
}

/// Why a host was given up.
public struct HostFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What happened and what to do, in a sentence.
    public let reason: String
    /// What happened before, oldest first, one line each: how a life ended, with ``ServiceResult`` first where there is
    /// one, such as `signal: killed by signal 11 (SIGSEGV)`.
    public let history: [String]
    /// The same as `reason`, in systemd's word; nil where that has none.
    public let result: ServiceResult?

    public init(reason: String, history: [String] = [], result: ServiceResult? = nil) {
        self.reason = reason
        self.history = history
        self.result = result
    }

    public var description: String {
        history.isEmpty ? reason : reason + " Before that: " + history.joined(separator: "; ")
    }
}

extension HostStatus: CustomStringConvertible {
    public var description: String {
        switch self {
        case .local: "local"
        case .connecting: "connecting"
        case .serving(let serving):
            "serving, incarnation \(serving.incarnation), process \(serving.processID)"
                + (serving.problem.map { ", but: \($0)" } ?? "")
        case .unresponsive(let worker):
            "unresponsive, incarnation \(worker.incarnation), process \(worker.processID): \(worker.reason)"
        case .restarting(let restart):
            "restarting in \(restart.delay), attempt \(restart.attempt), after the worker \(restart.cause.asPredicate)"
        case .draining: "draining"
        case .failed(let failure): "failed\(failure.result.map { " (\($0))" } ?? ""): \(failure)"
        case .other(let other): other.sentence.isEmpty ? "status \(other.number)" : other.sentence
        }
    }
}

extension Interruption.Cause {
    /// For a sentence whose subject is the worker.
    var asPredicate: String {
        switch self {
        case .signal, .disconnected: "was \(self)"
        case .exit, .hang, .limit, .lackOfResources, .group, .statusLost, .other: description
        }
    }
}
