public import LatticeCore

/// A group of features that have workers of their own. If such a worker crashes, hangs or uses too many resources, the
/// features outside the group are not affected.
///
/// ```swift
/// var configuration = CoordinatorConfiguration()
/// var imports = WorkerGroup("imports", of: Import.self, Convert.self)
/// imports.executable = "libexec/importer"
/// imports.environment["IMPORT_CACHE"] = "/var/cache/imports"
/// configuration.groups = [imports, WorkerGroup("thumbnails", of: Thumbnails.self)]
/// ```
///
/// All instances of a group's features share one worker, unless ``workers`` says otherwise. The features that are in no
/// group share one worker too. The coordinator's configuration describes it.
///
/// If the workers of a group depend on each other, set its ``strategy``. If only some of them do, put these into a
/// nested group:
///
/// ```swift
/// var uploads = WorkerGroup("uploads", of: Upload.self)
/// uploads.intensity = RestartIntensity(restarts: 3, period: .seconds(60))
/// var desk = WorkerGroup("desk", of: Notes.self)
/// desk.strategy = .oneForAll
/// desk.groups = [uploads]
/// ```
///
/// The groups in the coordinator's ``CoordinatorConfiguration/groups`` are independent of each other.
public struct WorkerGroup: Sendable {
    /// The features and instances that share a worker.
    public enum Workers: Sendable, Hashable {
        /// One worker serves all features of the group with all of their instances.
        case one
        /// One worker serves all instances of a feature.
        case onePerFeature
        /// Each instance has a worker of its own. The worker is started when the instance is first requested, and it
        /// leaves when the instance is closed.
        ///
        /// The value is the maximum number of workers, from 1 to ``WorkerGroup/maximumWorkers``. The coordinator
        /// reserves nine descriptors for each of them. A request for one instance more fails with
        /// `CoordinatorError.Code.tooMany`. A client gets the code `tooMany`.
        case onePerInstance(atMost: Int)
        /// The group has this number of workers, from 1 to ``WorkerGroup/maximumWorkers``, which are all alike. This is
        /// for a group without features, whose workers serve distributed actors. ``Coordinator/setWorkers(of:to:)``
        /// changes the number.
        case several(Int)
    }

    /// The unique name of the group, which also appears in the log. It has 1 to 64 bytes and no control characters.
    public let name: String
    /// The identifiers of the group's features. The coordinator must host each of them, and each may be in one group
    /// only. A group needs at least one feature, unless it has nested ``groups`` or its ``workers`` are
    /// ``Workers/several(_:)``.
    public let features: [String]
    /// The features and instances that share a worker. By default the whole group shares one.
    public var workers = Workers.one
    /// The path of the worker's executable, or nil for ``CoordinatorConfiguration/workerExecutable``.
    public var executable: String?
    /// The arguments of the worker after the name of its program, or nil for those of the coordinator's configuration.
    public var arguments: [String]?
    /// Environment variables for the worker. They are added to those of the coordinator's configuration and take
    /// precedence over them.
    public var environment: [String: String] = [:]
    /// The restart policy of the group's workers, or nil for that of the coordinator's configuration.
    public var restart: RestartPolicy?
    /// The resource limits of the group's workers, or nil for those of the coordinator's configuration. If you set
    /// this, it replaces all limits of the coordinator's configuration.
    public var limits: WorkerLimits?
    /// A Boolean value that indicates whether a second worker stands by to take over, or nil for the value of the
    /// coordinator's configuration.
    public var standby: Bool?
    /// The nested groups. Their workers start after the group's own workers. A setting that a nested group leaves out
    /// comes from the coordinator's configuration and not from this group.
    public var groups: [WorkerGroup] = []
    /// The children that are restarted when a child of the group is restarted.
    ///
    /// If each instance has a worker of its own, the strategy must be ``Strategy/oneForOne``. If such a group is nested
    /// in a group with another strategy, all of its present workers end and start together.
    public var strategy = Strategy.oneForOne
    /// The maximum number of restarts of all children together. If nil, each child has only the limit of its own
    /// ``restart`` policy.
    ///
    /// When a group exceeds it, the group is given up. In a surrounding group this counts as the end of one child, and
    /// the strategy of that group applies. A fault that a restart does not cure is therefore answered by restarting
    /// more and more of what surrounds it. A group at the top stays `failed` until a reset, or for the
    /// ``RestartPolicy/probeDelay`` of its policy.
    ///
    /// The following do not count: ends that a restart of the group causes, deaths caused by an event that is then
    /// quarantined, deaths that features answer for, and starts for which the system lacked resources.
    ///
    /// A child that is given up by its own policy does not end the group. The other children continue.
    public var intensity: RestartIntensity?
    /// The condition under which the group is done. By default it is never done.
    public var autoShutdown = AutoShutdown.never
    /// The time that running work gets to end when the group's workers stop, or when they end because the group needs
    /// it. It must not be negative. If nil, ``CoordinatorConfiguration/drainTimeout`` applies.
    ///
    /// After that time, work that still runs is cancelled. A worker has 250 ms to report the ends of that work and
    /// 250 ms to answer the last call. Then it has `teardownTimeout` to leave, and the same time again after SIGTERM.
    /// With ``Strategy/oneForAll`` and ``Strategy/restForOne`` the workers end one after the other, so a stop can take
    /// the sum of these times.
    public var shutdownTimeout: Duration?

    /// The maximum number of groups of a coordinator, including nested ones. Each worker costs a process and nine
    /// descriptors.
    public static let maximumGroups = 64
    /// The maximum depth of nested groups. A failure that restarts do not cure is passed on to a surrounding group at
    /// most this many times.
    public static let maximumDepth = 8
    /// The maximum number of workers of a group in which each instance has a worker, or whose workers serve actors.
    public static let maximumWorkers = 256
    static let maximumName = 64

    /// Creates a group whose worker has the settings of the coordinator's configuration.
    ///
    /// - Parameters:
    ///   - name: The unique name of the group.
    ///   - features: The features of the group.
    public init(_ name: String, of features: any HostedFeature.Type...) {
        self.init(name, of: features)
    }

    /// Creates a group without features, whose workers serve distributed actors.
    ///
    /// ```swift
    /// configuration.groups = [WorkerGroup("thumbnails", workers: 4)]
    /// ```
    ///
    /// - Parameters:
    ///   - name: The unique name of the group.
    ///   - count: The number of workers, from 1 to ``maximumWorkers``. All workers are alike.
    public init(_ name: String, workers count: Int) {
        self.init(name, of: [])
        workers = .several(count)
    }

    /// Creates a group with the features of an array.
    ///
    /// - Parameters:
    ///   - name: The unique name of the group.
    ///   - features: The features of the group.
    public init(_ name: String, of features: [any HostedFeature.Type]) {
        self.name = name
        self.features = features.map { $0.identifier }
    }
}
