extension RuntimeEvent {
    /// A worker in the supervision tree of a coordinator. It outlives the processes that run it.
    public struct Member: Sendable, Hashable {
        /// The name of its group. It is empty for the worker of the features that are in no group.
        public let group: String
        /// The key of the instance, if each instance of the group has a worker of its own. Otherwise nil.
        public let instance: String?
        /// The name of the worker in its group, if the group has several workers for actors. Otherwise nil.
        public let name: String?

        /// Creates a member.
        public init(group: String = "", instance: String? = nil, name: String? = nil) {
            self.group = group
            self.instance = instance
            self.name = name
        }
    }

    /// One incarnation of a worker.
    public struct Worker: Sendable, Hashable {
        /// The worker in the supervision tree.
        public let member: Member
        /// The number of the incarnation. It grows with each restart.
        public let incarnation: UInt64
        /// The process ID. It is nil if the process did not come into existence.
        public let processID: Int32?

        /// Creates an incarnation.
        public init(member: Member, incarnation: UInt64, processID: Int32?) {
            self.member = member
            self.incarnation = incarnation
            self.processID = processID
        }
    }

    /// The limit that a worker exceeded and for which the coordinator killed it.
    public enum KillReason: Sendable, Hashable {
        /// A turn took longer than its limit. The duration is nil if it is unknown.
        case turn(Duration?)
        /// A call of an actor was not answered within this limit.
        case call(timeout: Duration)
        /// The worker crashed with this signal, and did not complete its crash report within the limit.
        case crashReport(signal: Int32, timeout: Duration)
        /// The worker uses this many bytes of memory, which is more than its limit.
        case memory(bytes: Int, limit: Int)
        /// The job that the worker ran passed the limit with this name. The reason says what it did, as in "ran for
        /// 10.0 seconds".
        case job(limit: String, reason: String)
    }

    /// The end of one incarnation of a worker.
    public struct Termination: Sendable, Equatable {
        /// The decision of the supervisor about the next incarnation.
        public enum Verdict: Sendable, Equatable {
            /// The next incarnation starts after a delay.
            case restart(HostStatus.Restart)
            /// No incarnation starts before a reset or a probe. ``RuntimeEvent/workerGivenUp(_:_:isExpected:)``
            /// follows.
            case giveUp(HostFailure)
            /// No incarnation starts, because the worker or the coordinator stops.
            case stop
        }

        /// The incarnation that ended.
        public let worker: Worker
        /// How it ended.
        public let cause: Interruption.Cause
        /// The decision of the supervisor.
        public let verdict: Verdict
        /// Further information for diagnosis. It is nil if the process did not come into existence.
        public let report: CrashReport?

        /// Creates a termination.
        public init(worker: Worker, cause: Interruption.Cause, verdict: Verdict, report: CrashReport? = nil) {
            self.worker = worker
            self.cause = cause
            self.verdict = verdict
            self.report = report
        }
    }

    /// The importance of an event, in the levels of swift-log.
    public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Details of the execution.
        case trace
        /// Details for finding errors.
        case debug
        /// Information.
        case info
        /// A condition that may need special handling.
        case notice
        /// A condition that is no error and more severe than a notice.
        case warning
        /// An error.
        case error
        /// An error that needs attention at once.
        case critical

        /// Returns whether the first level is less important than the second one.
        public static func < (left: Level, right: Level) -> Bool { left.order < right.order }

        private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// A line that a worker wrote, or an entry of its log.
    public struct OutputLine: Sendable, Hashable {
        /// The properties of a log entry that a worker wrote with a `WorkerLogHandler`.
        public struct Entry: Sendable, Hashable {
            /// The label of the logger.
            public let label: String
            /// The source of the entry, usually the name of a module.
            public let source: String
            /// The metadata of the entry.
            public let metadata: [String: String]

            /// Creates the properties of a log entry.
            public init(label: String, source: String, metadata: [String: String] = [:]) {
                self.label = label
                self.source = source
                self.metadata = metadata
            }
        }

        /// The level. Lines of standard output have the level `info`, and those of standard error `notice`.
        public let level: Level
        /// The line without its line break, or the message of the log entry.
        public let text: String
        /// The other properties of a log entry, or nil for a plain line.
        public let entry: Entry?

        /// Creates a line.
        public init(level: Level, text: String, entry: Entry? = nil) {
            self.level = level
            self.text = text
            self.entry = entry
        }
    }

    /// An instance of a feature.
    public struct Instance: Sendable, Hashable {
        /// The identifier of the feature.
        public let feature: String
        /// The key of the instance. It is empty for a feature's only instance.
        public let key: String
        /// The worker that runs the instance. In a client it is unknown, and equals `Member()`.
        public let member: Member

        /// Creates an instance.
        public init(feature: String, key: String, member: Member = Member()) {
            self.feature = feature
            self.key = key
            self.member = member
        }
    }

    /// A new state of an instance.
    public struct StateUpdate: Sendable, Hashable {
        /// The revision of the state. Of several states that arrive together, only the newest is reported.
        public let revision: UInt64
        /// The number of encoded bytes of the state or of its changes. It is nil if they are encoded later.
        public let bytes: Int?
        /// A Boolean value that indicates whether the bytes are changes of an earlier state.
        public let isPatch: Bool

        /// Creates an update.
        public init(revision: UInt64, bytes: Int?, isPatch: Bool) {
            self.revision = revision
            self.bytes = bytes
            self.isPatch = isPatch
        }
    }

    /// An act that a tool, such as `latticectl`, asks for.
    public struct Operation: Sendable, Hashable {
        /// The name of the act, such as "restart". A tool can send any text.
        public let act: String
        /// The arguments of the act, as a text for people.
        public let arguments: String
        /// The process ID of the tool, or nil if the system does not report it.
        public let processID: Int32?
        /// The user ID of the tool's process, or nil if the system does not report it.
        public let userID: UInt32?
        /// The path of the program that the tool runs, or nil if the system does not report it.
        public let program: String?

        /// Creates an operation.
        public init(act: String, arguments: String, processID: Int32?, userID: UInt32?, program: String?) {
            self.act = act
            self.arguments = arguments
            self.processID = processID
            self.userID = userID
            self.program = program
        }
    }

    /// A client of a coordinator.
    public struct Client: Sendable, Hashable {
        /// The 16 bytes that identify the client as a sender of events, as 32 hexadecimal digits. They are part of the
        /// text of each of its event IDs.
        public let sender: String
        /// The process ID, or nil if the system does not report it.
        public let processID: Int32?
        /// The user ID of the process, or nil if the system does not report it.
        public let userID: UInt32?
        /// The path of the program that the process ran when it connected, or nil if the system does not report it.
        ///
        /// The path is a hint that protects against mistakes. It is no boundary between programs of one user: a process
        /// can connect and run another program, and a user can trace the processes that run for the same user.
        public let program: String?

        /// Creates a client.
        public init(sender: String, processID: Int32?, userID: UInt32?, program: String? = nil) {
            self.sender = sender
            self.processID = processID
            self.userID = userID
            self.program = program
        }
    }

    /// The other side of a session.
    public enum Peer: Sendable, Hashable {
        /// A worker, at a coordinator.
        case worker(Worker)
        /// A client, at a coordinator.
        case client(Client)
        /// A coordinator, at a worker or a client. The path is that of its socket. It is nil in a worker.
        case coordinator(processID: Int32, path: String?)
    }

    /// A call of an actor, or a question to a feature.
    public struct Call: Sendable, Hashable {
        /// The number of the actor in its process. It is 0 for a question to a feature.
        public let actor: UInt64
        /// The name of the method.
        public let method: String
        /// The name of the process that made the call. If the coordinator has passed the call on, it is the
        /// coordinator.
        public let caller: String

        /// A Boolean value that indicates whether the process has found the method. False when the call begins. While
        /// it is false, the caller may have chosen any name.
        public let isResolved: Bool

        /// Creates a call.
        public init(actor: UInt64, method: String, caller: String, isResolved: Bool = false) {
            self.actor = actor
            self.method = method
            self.caller = caller
            self.isResolved = isResolved
        }
    }

    /// The reason why a session broke.
    public struct SessionProblem: Sendable, Hashable {
        /// The kind of problem, such as "timeout", "violation" or "overloaded".
        public let code: String
        /// A sentence that says what happened and what to do.
        public let message: String

        /// Creates a problem.
        public init(code: String, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The reason why a coordinator refused or closed connections.
    public enum Rejection: Sendable, Hashable {
        /// The maximum number of clients is connected.
        case tooManyClients
        /// The connection sent no hello, and another one needed its place.
        case silent
        /// The connection is from a process of another user.
        case otherUser
    }

    /// A change of the socket that clients connect to.
    public enum SocketChange: Sendable, Hashable {
        /// The socket, its lock file or both were deleted or replaced, and were created again.
        case restored(socket: Bool, lock: Bool)
        /// New clients do not reach this coordinator. The reason is a complete sentence.
        case lost(reason: String)
        /// New clients reach this coordinator again.
        case regained
    }
}
