/// The place where a view model's interactor runs, and its status there.
public enum HostStatus: Sendable, Equatable {
    /// The interactor runs in this process.
    case local
    /// The view model is connecting to the coordinator, or waits for the first incarnation of the worker.
    case connecting
    /// A worker handles events.
    case serving(Serving)
    /// The worker does not respond. It either recovers or is terminated.
    case unresponsive(Unresponsive)
    /// The last incarnation ended, and the supervisor will start another one.
    case restarting(Restart)
    /// The worker finishes its running effects and accepts no new events.
    case draining
    /// The interactor does not run, and events are rejected. The supervisor gave up on the worker, the instance was
    /// closed, or this client gave up on its coordinator.
    ///
    /// A supervisor that gave up tries again after `RestartPolicy.probeDelay`, by default after a minute, or when it is
    /// reset. If the worker was refused, or if the `kind` of the policy forbids a restart, only a reset helps.
    case failed(HostFailure)
    /// A status that only a later version of the coordinator knows.
    case other(Other)

    /// A status that only a later version of the coordinator knows.
    public struct Other: Sendable, Equatable {
        /// The number of the status in that version.
        public let number: Int
        /// The description of the status in that version.
        public let sentence: String

        /// Creates a status of a later version.
        public init(number: Int, sentence: String) {
            self.number = number
            self.sentence = sentence
        }
    }

    /// The status of a worker that handles events.
    public struct Serving: Sendable, Equatable {
        /// The incarnation of the worker. It grows with each restart.
        public let incarnation: UInt64
        /// The process ID of the worker, on its host.
        public let processID: Int32
        /// In clients, a number that is different for each coordinator process. It is not the process ID, which the
        /// client's `connectionStatus` has. When the coordinator is restarted, the number changes, and the states of
        /// the new process may have started from the beginning. In the coordinator itself it is nil.
        public let coordinator: UInt64?
        /// A description of a problem of a worker that is serving, or nil if there is none.
        ///
        /// One possible problem is that effects get no thread, because others occupy all of them. Another is that the
        /// shown state is out of date, because the worker's newest state cannot be decoded here, or because its view
        /// state cannot be sent to clients.
        public package(set) var problem: String?

        /// Creates the status of a worker that handles events.
        public init(incarnation: UInt64, processID: Int32, coordinator: UInt64? = nil, problem: String? = nil) {
            self.incarnation = incarnation
            self.processID = processID
            self.coordinator = coordinator
            self.problem = problem
        }
    }

    /// The status of a worker that does not respond.
    public struct Unresponsive: Sendable, Equatable {
        /// The incarnation of the worker. It grows with each restart.
        public let incarnation: UInt64
        /// The process ID of the worker, on its host.
        public let processID: Int32
        /// A description of the known reason: a turn takes long, or the event loop of the worker is blocked.
        public let reason: String

        /// Creates the status of a worker that does not respond.
        public init(incarnation: UInt64, processID: Int32, reason: String) {
            self.incarnation = incarnation
            self.processID = processID
            self.reason = reason
        }
    }

    /// The status of a worker that is about to be restarted.
    public struct Restart: Sendable, Equatable {
        /// The number of this restart, from 1. It starts at 1 again after the worker has been stable for some time.
        public let attempt: Int
        /// The time that the supervisor waits before it starts the next incarnation.
        public let delay: Duration
        /// How the last incarnation ended.
        public let cause: Interruption.Cause

        /// Creates the status of a worker that is about to be restarted.
        public init(attempt: Int, delay: Duration, cause: Interruption.Cause) {
            self.attempt = attempt
            self.delay = delay
            self.cause = cause
        }
    }
}

extension HostStatus {
    /// Returns the same status with a problem, if the status is ``serving(_:)`` and has no problem yet.
    package func with(problem: String?) -> HostStatus {
        guard let problem, case .serving(var serving) = self, serving.problem == nil else { return self }
        serving.problem = problem
        return .serving(serving)
    }
}

/// The reason why a supervisor gave up on a worker.
public struct HostFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// A message that says what happened, and what to do where that is known.
    public let reason: String
    /// The earlier terminations, oldest first, as one line each. A line starts with the result that systemd reports for
    /// such an end (`$SERVICE_RESULT` in systemd.exec(5)) if there is one, for example
    /// `signal: killed by signal 11 (SIGSEGV)`.
    public let history: [String]
    /// The result in the terms of systemd, or nil if systemd has no term for it.
    package let result: ServiceResult?

    /// Creates a failure.
    public init(reason: String, history: [String] = []) {
        self.init(reason: reason, history: history, result: nil)
    }

    /// Creates a failure with its result in the terms of systemd.
    package init(reason: String, history: [String] = [], result: ServiceResult?) {
        self.reason = reason
        self.history = history
        self.result = result
    }

    /// The reason, followed by the earlier terminations if there are any.
    public var description: String {
        guard !history.isEmpty else { return reason }
        let end = reason.hasSuffix(".") ? "" : "."
        return "\(reason)\(end) Before that: \(history.joined(separator: "; "))."
    }
}

extension HostStatus: CustomStringConvertible {
    /// A short text for logs and tools, such as "serving, incarnation 2, process 812".
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
    /// A description for a sentence whose subject is the worker.
    var asPredicate: String {
        switch self {
        case .signal, .disconnected: "was \(self)"
        case .exit, .hang, .limit, .lackOfResources, .group, .statusLost, .requested, .other: description
        }
    }
}
