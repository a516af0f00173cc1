/// The numbers of a coordinator at one moment, which metrics show next to what they count from ``RuntimeEvent``.
///
/// You get them from the `figures()` of a coordinator.
public struct RuntimeFigures: Sendable, Hashable {
    /// The instances of one feature, added up.
    public struct Feature: Sendable, Hashable {
        /// The identifier of the feature.
        public let identifier: String
        /// The number of instances.
        public var instances = 0
        /// The number of events of clients that wait to be sent to the worker.
        public var waitingEvents = 0
        /// The number of other events, of clients and of the program, that have not ended.
        public var runningEvents = 0
        /// The number of channels of clients on which view states are published.
        public var subscribers = 0

        /// Creates the figures of a feature without instances.
        public init(identifier: String) {
            self.identifier = identifier
        }
    }

    /// The processes of one group, or the coordinator's own process.
    public struct Process: Sendable, Hashable {
        /// The name of the worker's group, which is empty for features in no group. Nil for the coordinator.
        public let group: String?
        /// The process ID.
        public let processID: Int32
        /// The processor time in user mode and in the kernel. Nil if the system does not tell it.
        public let cpuTime: Duration?
        /// The memory that is not swapped out, in bytes, including mapped files. Nil if the system does not tell it.
        public let residentBytes: Int?
        /// The number of open descriptors. Nil if the system does not tell it.
        public let openFiles: Int?

        /// Creates the figures of a process.
        public init(group: String?, processID: Int32, cpuTime: Duration?, residentBytes: Int?, openFiles: Int?) {
            self.group = group
            self.processID = processID
            self.cpuTime = cpuTime
            self.residentBytes = residentBytes
            self.openFiles = openFiles
        }
    }

    /// A worker in the supervision tree.
    public struct Worker: Sendable, Hashable {
        /// The name of its group. It is empty for features in no group.
        public let group: String
        /// Its state in one word, such as "serving".
        public let state: String

        /// Creates the figures of a worker.
        public init(group: String, state: String) {
            self.group = group
            self.state = state
        }
    }

    /// The time at which the reading began.
    public var instant: ContinuousClock.Instant
    /// The number of connected clients.
    public var clients: Int
    /// The number of events in quarantine.
    public var quarantinedEvents: Int
    /// The hosted features, in alphabetical order.
    public var features: [Feature]
    /// The workers.
    public var workers: [Worker]
    /// The processes that run at the moment: the coordinator, its workers and their standbys.
    public var processes: [Process]
    /// The time that a piece of work waited until the event loop of the coordinator began with it.
    public var eventLoopLag: Duration

    /// Creates figures of a reading that began at `instant`, which is the present by default.
    public init(
        instant: ContinuousClock.Instant = .now,
        clients: Int,
        quarantinedEvents: Int,
        features: [Feature],
        workers: [Worker],
        processes: [Process],
        eventLoopLag: Duration
    ) {
        self.instant = instant
        self.clients = clients
        self.quarantinedEvents = quarantinedEvents
        self.features = features
        self.workers = workers
        self.processes = processes
        self.eventLoopLag = eventLoopLag
    }
}
