public import LatticeCore

/// Features that have a worker of their own: what dies, hangs or hogs there changes nothing for the others.
///
/// ```swift
/// var configuration = CoordinatorConfiguration()
/// var imports = WorkerGroup("imports", of: Import.self, Convert.self)
/// imports.executable = "libexec/importer"
/// imports.environment["IMPORT_CACHE"] = "/var/cache/imports"
/// configuration.groups = [imports, WorkerGroup("thumbnails", of: Thumbnails.self)]
/// ```
///
/// All instances of a group's features share its worker, unless its `workers` says otherwise. Features that are in no
/// group share one too, which the coordinator's configuration describes.
///
/// A group whose workers need each other says so by its ``strategy``, and those of which only some do are in groups of
/// their own within it:
///
/// ```swift
/// var uploads = WorkerGroup("uploads", of: Upload.self)
/// uploads.intensity = WorkerGroup.Intensity(restarts: 3, period: .seconds(60))
/// var desk = WorkerGroup("desk", of: Notes.self)
/// desk.strategy = .oneForAll
/// desk.groups = [uploads]
/// ```
///
/// What happens in one group of the coordinator's ``CoordinatorConfiguration/groups`` changes nothing in another.
public struct WorkerGroup: Sendable {
    /// Who shares a worker.
    public enum Workers: Sendable, Hashable {
        /// All features of the group, with all of their instances.
        case one
        /// All instances of a feature.
        case onePerFeature
        /// Nobody: each instance has a worker of its own, which is started when the instance is first asked for and
        /// leaves when that is closed. There are 1 to ``WorkerGroup/maximumWorkers`` of them at most, for each of which
        /// the coordinator keeps nine descriptors; who asks for one instance more hears
        /// `CoordinatorError.Code.tooMany`, a client `tooMany`.
        case onePerInstance(atMost: Int)
        /// So many, all alike: 1 to ``WorkerGroup/maximumWorkers``. For a group that has no features, whose workers
        /// serve distributed actors; ``Coordinator/setWorkers(of:to:)`` changes how many they are.
        case several(Int)
    }

    /// What the log calls it: 1 to 64 bytes without control characters, and no other group's name.
    public let name: String
    /// The identifiers of its features, each hosted by the coordinator and in no other group: one at least, unless
    /// there are ``groups`` in it or its ``workers`` are ``Workers/several(_:)``.
    public let features: [String]
    /// Who shares a worker: all of the group.
    public var workers = Workers.one
    /// The executable of its worker, as ``CoordinatorConfiguration/workerExecutable`` is; nil: that one.
    public var executable: String?
    /// What its worker is started with behind its own name; nil: as the coordinator's configuration says.
    public var arguments: [String]?
    /// Variables that its worker has besides those of the coordinator's configuration, or with other values.
    public var environment: [String: String] = [:]
    /// When its worker is started again; nil: as the coordinator's configuration says.
    public var restart: RestartPolicy?
    /// What its worker may use; nil: as the coordinator's configuration says. A group that has limits has all of them
    /// from here, and none of the coordinator's.
    public var limits: WorkerLimits?
    /// Whether a second worker stands by to take the place of the first; nil: as the coordinator's configuration says.
    public var standby: Bool?
    /// Groups in it, whose workers start behind its own. What they have of no setting, they have from the coordinator's
    /// configuration, and not from here.
    public var groups: [WorkerGroup] = []
    /// What else is started again when a worker of it is, or a group in it. Where each instance has a worker of its own
    /// it is ``Strategy/oneForOne``; in a group with another one, all of those that are there end and start together.
    public var strategy = Strategy.oneForOne
    /// How many restarts are taken of all its children together; nil: as many as each of them is allowed by itself. A
    /// worker that is given up by its own ``restart`` is left out, and the others go on.
    public var intensity: Intensity?
    /// When the group is done: never.
    public var autoShutdown = AutoShutdown.never
    /// How long what runs in its workers may take to end when they stop, or end for the group's sake, from zero; nil:
    /// ``CoordinatorConfiguration/drainTimeout``. Then they have `teardownTimeout`, and after SIGTERM once more. With
    /// ``Strategy/oneForAll`` and ``Strategy/restForOne`` they end one after the other, so a stop takes the sum.
    public var shutdownTimeout: Duration?

    /// Groups of one coordinator, with those in other groups. Each worker costs a process and nine descriptors.
    public static let maximumGroups = 64
    /// Groups within each other. An end that is not cured by a new start is passed on so many times at most.
    public static let maximumDepth = 8
    /// Workers of one group in which each instance has its own.
    public static let maximumWorkers = 256
    static let maximumName = 64

    /// A group whose worker is like that of the coordinator's configuration.
    public init(_ name: String, of features: any HostedFeature.Type...) {
        self.init(name, of: features)
    }

    /// A group without features, whose workers serve distributed actors.
    ///
    /// ```swift
    /// configuration.groups = [WorkerGroup("thumbnails", workers: 4)]
    /// ```
    ///
    /// - Parameter count: How many there are, all alike: 1 to ``maximumWorkers``.
    public init(_ name: String, workers count: Int) {
        self.init(name, of: [])
        workers = .several(count)
    }

    /// The same for a list that is put together elsewhere.
    public init(_ name: String, of features: [any HostedFeature.Type]) {
        self.name = name
        self.features = features.map { $0.identifier }
    }
}
