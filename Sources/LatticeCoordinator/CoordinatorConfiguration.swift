public import LatticeCore
import LatticeSession
package import LatticeTransport
import LatticeWire
public import Logging

/// How a coordinator starts and watches its worker and its clients.
///
/// Times are kept to the millisecond. A setting that makes no sense, such as a limit of zero, is refused with
/// `CoordinatorError.Code.invalid`.
public struct CoordinatorConfiguration: Sendable {
    /// The executable of the worker: absolute, or relative to the current directory. nil: this program's own. Workers
    /// of another build than the first one, or than this program if it is its own, are refused.
    public var workerExecutable: String?
    /// What the worker is started with behind its own name; none.
    public var workerArguments: [String] = []
    /// Variables that the worker has besides those of this process, or with other values.
    public var workerEnvironment: [String: String] = [:]
    /// Features that have workers of their own, at most ``WorkerGroup/maximumGroups``; at first none: all share one
    /// worker, which is what the settings above and below describe.
    public var groups: [WorkerGroup] = []
    /// When a worker that ended is started again.
    public var restart = RestartPolicy()
    /// What a worker may use of memory, descriptors and CPU time: anything. How long a turn may take: 10 seconds.
    public var limits = WorkerLimits()
    /// Whether each worker has a second one that is started, has shaken hands and waits to take its place: then a state
    /// that is not large is served again within milliseconds of a death. It costs a process, its memory and nine
    /// descriptors for each worker. One that ends while it waits is followed by another after
    /// ``RestartPolicy/maximumDelay``, and that counts against nobody.
    public var standby = false
    /// How long a view model may take to get its worker; then `viewModel` throws, and the supervisor goes on.
    public var openTimeout: Duration = .seconds(30)
    /// How often a worker and a client are asked whether they are there.
    public var heartbeatInterval: Duration = .seconds(1)
    /// How long they may take to answer: not shorter than `heartbeatInterval`. A worker's answer comes from the thread
    /// on which the interactors run: it is waited for as long as turns come to their ends and none takes longer than
    /// ``WorkerLimits/turn``, and the time begins anew while a large state is encoded or decoded. After this a worker
    /// counts as hanging, and is ended.
    public var heartbeatTimeout: Duration = .seconds(10)
    /// What Swift's runtime writes when a worker crashes: ``WorkerBacktraces/addresses``. The worker is gone, and the
    /// next one starts, when that is written. A `SWIFT_BACKTRACE` in ``workerEnvironment``, in the environment of a
    /// group, or in that of this process is left as it is, and this setting has no effect.
    public var workerBacktraces = WorkerBacktraces.addresses
    /// How long a worker that crashes may take until the report of that is written and it is gone. Meanwhile its
    /// silence is no hang and its turn has no limit; then it is ended. The cause is the signal of the crash either way.
    public var backtraceTimeout: Duration = .seconds(10)
    /// How long running effects may take to end when the coordinator stops; then they are cancelled. Zero: at once.
    public var drainTimeout: Duration = .seconds(1)
    /// How long a worker may take to leave after goodbye, and again after SIGTERM, before SIGKILL; and how long clients
    /// get, when the coordinator stops, to read what they have still to be told.
    public var teardownTimeout: Duration = .seconds(1)
    /// How long the events of a client whose connection broke are kept for it to come back. Zero: not at all.
    public var clientRetention: Duration = .seconds(60)
    /// Bytes of one encoded action, 1 to ``maximumPayload``. Who sends a larger one hears `rejected(.tooLarge)`.
    public var maximumActionBytes = CoordinatorConfiguration.maximumPayload
    /// Bytes of one encoded domain state or view state, 1 to 4,294,967,295; at first 256 MiB, and of a view state that
    /// at most. An event that makes the domain state larger ends `failed`, and the worker goes on from the state
    /// before; of a larger view state clients keep the one before, and `hostStatus` says so.
    public var maximumStateBytes = FrameLimits.maximumState
    /// Instances of all features that there may be at a time, 1 to ``maximumInstances``: each costs a channel and a
    /// state, in the worker too. Who asks for one more hears `CoordinatorError.Code.tooMany`, a client `tooMany`.
    public var maximumInstances = CoordinatorConfiguration.maximumInstances
    /// Those of them that may have been made because one and the same client asked for them first, 1 to
    /// ``maximumInstances``.
    public var maximumInstancesPerClient = 1024
    /// Events of one client at one instance that were taken and have not ended, 1 to ``maximumEventsPerClient``, with
    /// those whose effects run. One more is `rejected(.overloaded)`, and so is one of a client that has as many as are
    /// left for others. A client is known by its identity: connecting again, or more channels, give it no more.
    public var maximumEventsPerClient = ShareLimits().eventsPerClient
    /// Whether a client whose event ended with a worker is told the ``LatticeCore/CrashReport``, with the last lines
    /// that the worker wrote and the names of events and effects of others. At first it is not: it hears how the worker
    /// ended, and in which life.
    public var sharesCrashReports = false
    /// Where the worker's output goes, line by line, and what the supervisor does. A thread of its own calls it, and
    /// nobody waits for it: of the worker's output 4,096 lines or 1 MiB may wait, and what comes then is dropped and
    /// counted. What waits when the coordinator stops has half a second to be written.
    public var logger = Logger(label: "lattice")

    /// What is done before any client is let in, such as opening instances with the states that an earlier coordinator
    /// has saved; nil: nothing.
    ///
    /// `withCoordinator` calls it when the workers have been started, and lets clients in when it has returned. Clients
    /// that connect before that wait, for their `connectTimeout` at most. If it throws, `withCoordinator` stops and
    /// throws that error.
    ///
    /// ```swift
    /// configuration.restoring = { coordinator in
    ///     for (instance, state) in try store.states() {
    ///         _ = try await coordinator.viewModel(Notes.self, instance: instance, initialDomainState: state)
    ///     }
    /// }
    /// ```
    public var restoring: (@MainActor @Sendable (Coordinator) async throws -> Void)?

    /// The name of the group that this is the configuration of; empty for that of the coordinator.
    var group = ""
    /// The configuration of each instance of a feature, by the feature's identifier.
    private var features: [String: @Sendable (_ instance: String) -> any Codable & Sendable] = [:]
    /// How long instances of features may be idle, by the features' identifiers.
    private var idleLimits: [String: Duration] = [:]
    /// The identifiers of those whose effects end with the client that asked for them.
    private var cancelsOfLostClients: Set<String> = []
    /// What is called with acknowledged states, by the identifiers of their features.
    var stateHooks: [String: any StateHooking] = [:]

    /// What is put around the starts of workers: faults, for tests. By the names of their groups; nil: of all others.
    package var wrapLaunchers: [String?: @Sendable (any WorkerLauncher) -> any WorkerLauncher] = [:]
    /// What is put around the connections of clients, one after the other. Asked once by each coordinator.
    package var wrapClients: (@Sendable () -> ConnectionWrapper)?

    /// Bytes of the largest action that can be sent at all: 64 MiB without 64 KiB for what goes with it.
    public static var maximumPayload: Int { FrameLimits.maximumPayload }
    /// Instances of which each coordinator is capable: 4,096.
    public static var maximumInstances: Int { 4096 }
    /// Events that one client can have at an instance in any case: 24,576, half of what all clients can.
    public static var maximumEventsPerClient: Int { ShareLimits.maximumPerClient }

    /// The defaults.
    public init() {}

    /// Says how a feature is configured, which its ``HostContext`` tells it in the worker.
    ///
    /// - Parameters:
    ///   - feature: One of those that are hosted; of others it has no effect.
    ///   - make: Called with the key of each instance when that is first asked for, on any thread. What it returns
    ///     holds as long as the coordinator has the instance, over all lives of the worker. If it takes more than
    ///     64 KiB when it is encoded, the instance is not opened, and whoever asked for it hears why.
    public mutating func configure<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ make: @escaping @Sendable (_ instance: String) -> Feature.Configuration
    ) {
        features[feature.identifier] = make
    }

    /// Closes instances of a feature that nobody needs, as ``Coordinator/close(_:instance:)`` does: their states are
    /// gone, and who asks next gets a new one.
    ///
    /// Nobody needs an instance that no client has open, or is waited for as one that has, and whose events have
    /// ended. One whose view model the coordinator's own program has asked for is closed only by hand.
    ///
    /// ```swift
    /// configuration.closeWhenIdle(Preview.self, after: .seconds(60))
    /// ```
    ///
    /// - Parameters:
    ///   - feature: One of those that are hosted; of others it has no effect.
    ///   - limit: How long nobody has needed it; from a millisecond. Without this call instances stay.
    public mutating func closeWhenIdle<Feature: HostedFeature>(_ feature: Feature.Type, after limit: Duration) {
        idleLimits[feature.identifier] = limit
    }

    /// Cancels what a client has running at instances of a feature when it is gone for good: it was away for longer
    /// than ``clientRetention``, or left without an identity by which it could come back.
    ///
    /// Without this call it goes on. What all clients that are gone have running at an instance may then be as much as
    /// one client's (``maximumEventsPerClient``); with more, that of those is cancelled that are gone longest.
    ///
    /// ```swift
    /// configuration.cancelEffectsOfLostClients(Notes.self)
    /// ```
    ///
    /// - Parameter feature: One of those that are hosted; of others it has no effect.
    public mutating func cancelEffectsOfLostClients<Feature: HostedFeature>(_ feature: Feature.Type) {
        cancelsOfLostClients.insert(feature.identifier)
    }

    func cancelsEffectsOfLostClients(of feature: any HostedFeature.Type) -> Bool {
        cancelsOfLostClients.contains(feature.identifier)
    }

    func idleTimeout(of feature: any HostedFeature.Type) -> Duration? { idleLimits[feature.identifier] }

    var quota: InstanceQuota {
        InstanceQuota(maximum: maximumInstances, maximumPerClient: maximumInstancesPerClient)
    }

    /// What a coordinator knows of the place where an instance is to run.
    func context(of feature: any HostedFeature.Type, instance: String) -> HostContext {
        HostContext(
            instance: instance,
            group: group,
            incarnation: 0,
            configuration: features[feature.identifier]?(instance)
        )
    }

    /// - Parameter group: Empty for features that are in none.
    func wrap(_ launcher: any WorkerLauncher, of group: String) -> any WorkerLauncher {
        (wrapLaunchers[group] ?? wrapLaunchers[nil])?(launcher) ?? launcher
    }

    /// - Throws: `CoordinatorError` for a setting that makes no sense or cannot be kept.
    func check() throws(CoordinatorError) {
        do throws(ConfigurationError) {
            try Settings.check("openTimeout", openTimeout)
            try Settings.checkHeartbeat(interval: heartbeatInterval, limit: heartbeatTimeout)
            try Settings.check("backtraceTimeout", backtraceTimeout)
            try Settings.check("drainTimeout", drainTimeout, from: .zero)
            try Settings.check("teardownTimeout", teardownTimeout)
            try Settings.check("clientRetention", clientRetention, from: .zero)
            for (feature, limit) in idleLimits { try Settings.check("closeWhenIdle of \"\(feature)\"", limit) }
            for (feature, hook) in stateHooks {
                try Settings.check("observeStates of \"\(feature)\"", hook.interval)
            }
            try restart.check()
            try limits.check()
        } catch {
            throw .invalid("the coordinator's configuration: \(error.message)")
        }
        let instances = Self.maximumInstances
        let sizes = [
            ("maximumInstances", maximumInstances, instances),
            ("maximumInstancesPerClient", maximumInstancesPerClient, instances),
            ("maximumEventsPerClient", maximumEventsPerClient, Self.maximumEventsPerClient),
            ("maximumActionBytes", maximumActionBytes, Self.maximumPayload),
            ("maximumStateBytes", maximumStateBytes, Int(UInt32.max)),
        ]
        for (name, size, largest) in sizes {
            guard 1...largest ~= size else {
                throw .invalid("\(name) is \(size), which is not in 1 to \(largest); choose one that is")
            }
        }
    }

    /// How much one client may have at an instance.
    var shareLimits: ShareLimits {
        var limits = ShareLimits()
        limits.eventsPerClient = maximumEventsPerClient
        return limits
    }

    /// How much one channel may hold on to.
    var channelLimits: ChannelLimits {
        var limits = ChannelLimits()
        limits.maximumAction = maximumActionBytes
        limits.maximumState = maximumStateBytes
        return limits
    }
}
