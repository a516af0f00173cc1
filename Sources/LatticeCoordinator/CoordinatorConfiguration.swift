public import LatticeCore
import LatticeSession
package import LatticeTransport
import LatticeWire
public import Logging

/// The settings of a coordinator: how it starts and supervises its workers, and what it allows its clients.
///
/// ```swift
/// var configuration = CoordinatorConfiguration()
/// configuration.restart.maximumDelay = .seconds(10)
/// configuration.limits.memoryBytes = 512 << 20
/// configuration.groups = [WorkerGroup("thumbnails", of: Thumbnails.self)]
/// try await withCoordinator(hosting: Notes.self, Thumbnails.self, configuration: configuration) { coordinator in
///     try await run(coordinator)
/// }
/// ```
///
/// Times are kept to the millisecond. If a setting is invalid, such as a limit of zero, `withCoordinator` throws
/// `CoordinatorError.Code.invalid`.
public struct CoordinatorConfiguration: Sendable {
    /// The path of the worker's executable, absolute or relative to the current directory. The default is nil, which
    /// stands for this program's own executable.
    ///
    /// All workers must be of the same build: the build of this program if its own executable is used, and otherwise
    /// the build of the first worker. Workers of another build are refused.
    public var workerExecutable: String?
    /// The arguments that the worker is started with, without its own name. The default is none.
    public var workerArguments: [String] = []
    /// The environment variables that the worker gets in addition to those of this process. A variable here replaces
    /// the one of this process with the same name.
    public var workerEnvironment: [String: String] = [:]
    /// The groups of features that have workers of their own, at most ``WorkerGroup/maximumGroups``.
    ///
    /// Features that are in no group share one worker. The settings of this configuration describe that worker and are
    /// the defaults of the groups. The default is no groups.
    public var groups: [WorkerGroup] = []
    /// The policy that decides whether and when a worker that ended is started again.
    public var restart = RestartPolicy()
    /// The limits of a worker. By default memory, descriptors and CPU time are not limited, and a turn may take 10
    /// seconds.
    public var limits = WorkerLimits()
    /// A Boolean value that indicates whether each worker has a standby: a second process that has shaken hands and
    /// waits to take over. The default is false.
    ///
    /// With a standby, a state that is not large is served again within milliseconds of a crash. A standby costs a
    /// process, its memory and nine descriptors for each worker. If it ends while it waits, another one is started
    /// after ``RestartPolicy/maximumDelay``. Such an end does not count against the restart limit.
    public var standby = false
    /// The time that a view model waits for its worker. After that `viewModel` throws an error, and the supervisor
    /// keeps trying. The default is 30 seconds.
    public var openTimeout: Duration = .seconds(30)
    /// The interval at which workers and clients are sent a heartbeat. The default is 1 second.
    public var heartbeatInterval: Duration = .seconds(1)
    /// The time within which a worker or a client must answer a heartbeat, at least `heartbeatInterval`. The default is
    /// 10 seconds.
    ///
    /// A worker answers on the thread that runs its interactors. The coordinator keeps waiting while turns end and none
    /// of them takes longer than ``WorkerLimits/turnTimeout``. The time starts again while a large state is encoded or
    /// decoded. A worker that does not answer in time is considered hung and is ended.
    public var heartbeatTimeout: Duration = .seconds(10)
    /// The report that Swift's runtime writes when a worker crashes. The default is ``WorkerBacktraces/addresses``.
    ///
    /// The crashed process ends, and the next one starts, after the report is written. The setting has no effect if
    /// `SWIFT_BACKTRACE` is set in ``workerEnvironment``, in the environment of the group, or in the environment of
    /// this process.
    public var workerBacktraces = WorkerBacktraces.addresses
    /// The time within which a crashing worker must have written its report and ended. After that it is killed. The
    /// default is 10 seconds.
    ///
    /// During this time the worker's missing heartbeats are not considered a hang, and its turn is not limited. The
    /// cause that is reported is the signal of the crash in either case.
    public var backtraceTimeout: Duration = .seconds(10)
    /// The time that running effects get to end when the coordinator stops. After that they are cancelled. Zero cancels
    /// them at once. The default is 1 second.
    public var drainTimeout: Duration = .seconds(1)
    /// The time that a worker gets to end after goodbye, and again after SIGTERM, before it gets SIGKILL. The default
    /// is 1 second.
    ///
    /// When the coordinator stops, clients get the same time to read the messages that are still due to them.
    public var teardownTimeout: Duration = .seconds(1)
    /// The time that an event of this process waits, after its deadline, until its worker says how it has ended. After
    /// that it ends as cancelled by its deadline, at a stage that is unknown. The default is 30 milliseconds.
    public var deadlineGrace: Duration = .milliseconds(30)
    /// The time for which the coordinator keeps the events of a client whose connection broke, so that the client can
    /// come back. Zero keeps nothing. The default is 60 seconds.
    public var clientRetention: Duration = .seconds(60)
    /// The maximum size of one encoded action in bytes. The default, 67,043,328 bytes (64 MiB less 64 KiB), is also the
    /// upper bound of ``maximumActionBytesRange``. A larger action ends `rejected(.tooLarge)`.
    public var maximumActionBytes = CoordinatorConfiguration.maximumActionBytesRange.upperBound
    /// The maximum size of one encoded domain state or view state in bytes, see ``maximumStateBytesRange``. The default
    /// is 256 MiB, which is also the upper bound for a view state.
    ///
    /// An event that makes the domain state larger ends `failed`, and the worker continues from the state before it. If
    /// a view state is larger, clients keep the one before it, and `hostStatus` reports the problem.
    public var maximumStateBytes = FrameLimits.maximumState
    /// The maximum number of instances of all features together. The default is 4,096, which is also the upper bound of
    /// ``maximumInstancesRange``. Each instance costs a channel and a state, also in the worker.
    ///
    /// A request for one more instance throws `CoordinatorError.Code.tooMany`. A client gets the refusal `tooMany`.
    public var maximumInstances = CoordinatorConfiguration.maximumInstancesRange.upperBound
    /// The maximum number of instances that exist because the same client was the first to ask for them, see
    /// ``maximumInstancesRange``. The default is 1,024.
    public var maximumInstancesPerClient = 1024
    /// The maximum number of unfinished events that one client may have at one instance, including events whose effects
    /// run. See ``maximumEventsPerClientRange``.
    ///
    /// One more event ends `rejected(.overloaded)`. An event is also rejected if the client already has as many as the
    /// coordinator leaves over for other clients. A client is identified by its identity, so more connections or
    /// channels do not give it more events.
    public var maximumEventsPerClient = ShareLimits().maximumEventsPerClient
    /// A Boolean value that indicates whether a client gets the `CrashReport` when its event ended with a
    /// worker. The default is false.
    ///
    /// A report contains the last lines that the worker wrote, and the names of events and effects of other clients.
    /// Without it a client learns how the worker ended and the number of its incarnation.
    public var sharesCrashReports = false
    /// A closure that returns what a process may do with this coordinator besides using its features: nothing, look
    /// into it, or look and act, with a sentence for each refusal. The default is nil: every tool of the same user may
    /// look and act, and every client of the same user may look.
    ///
    /// The closure is called for each request to describe something or to act, on a thread of the library. Until it
    /// returns, other requests to describe something wait.
    ///
    /// ```swift
    /// configuration.controlPermission = { process in
    ///     process.isTool ? .look("Restart workers from the administration page.") : .nothing("Only tools may look.")
    /// }
    /// ```
    public var controlPermission: (@Sendable (ControlRequester) -> ControlPermission)?
    /// A closure that decides what a client may do with an instance of a feature. The default is nil: every client may
    /// do everything, and every client has the coordinator's user or is root.
    ///
    /// The closure is called once for each time that a client opens an instance, also when the client comes back after
    /// a broken connection, and not for each event. It is called on a thread of Swift's concurrency, so it must not
    /// block. The instance is created after the closure has permitted it.
    ///
    /// ```swift
    /// configuration.authorization = { request in
    ///     if request.client.userID == 1000 { return .full }
    ///     return .readOnly("Only the owner may change notes. Log in as the owner.")
    /// }
    /// ```
    public var authorization: (@Sendable (AccessRequest) -> ClientAccess)?
    /// The logger for the worker's output, line by line, and for messages of the supervisor.
    ///
    /// A thread of its own calls the logger, so the coordinator does not wait for it. Up to 4,096 lines or 1 MiB of the
    /// workers' output may wait to be written. Further lines are dropped and counted. When the coordinator stops, it
    /// waits for half a second until the rest is written.
    public var logger = Logger(label: "lattice")
    /// The observers of what the coordinator and its workers do. They receive the events that are also logged, and more
    /// detailed ones. The default is none.
    ///
    /// ```swift
    /// configuration.observers.append(RuntimeObserver(of: .workers) { event in print(event) })
    /// ```
    public var observers: [RuntimeObserver] = []

    /// A closure that runs before the first client is accepted, for example to open instances with states that an
    /// earlier coordinator saved. The default is nil.
    ///
    /// `withCoordinator` calls the closure when the workers have been started, and accepts clients when the closure has
    /// returned. Clients that connect before that wait for at most their `connectTimeout`. If the closure throws an
    /// error, `withCoordinator` stops the coordinator and throws that error.
    ///
    /// ```swift
    /// configuration.restoring = { coordinator in
    ///     for (instance, state) in try store.states() {
    ///         _ = try await coordinator.viewModel(Notes.self, instance: instance, initialDomainState: state)
    ///     }
    /// }
    /// ```
    public var restoring: (@MainActor @Sendable (Coordinator) async throws -> Void)?

    /// A Unix socket that already listens at a path, for clients. The default is nil, and the coordinator opens a
    /// socket itself, see `withCoordinator`.
    ///
    /// A service manager opens such a socket before it starts the program, see `SystemdSocket` of LatticeSystemd. The
    /// coordinator owns the descriptor from its start on and closes it. The file of the socket and its rights belong to
    /// the process that opened it. The coordinator neither removes nor replaces the file, and holds no lock on it.
    /// Leave out the path of `withCoordinator`, because the socket has one.
    public var listeningSocket: Int32?
    /// The path of a file whose settings replace those of this configuration, absolute or relative to the current
    /// directory. The default is nil, which stands for no file.
    ///
    /// An operator can change in it what needs no build: limits, restart policies and timeouts of the coordinator and
    /// of its ``groups``, and the log level. If the file cannot be read or has a mistake, `withCoordinator` throws
    /// `CoordinatorError.Code.invalid` with the line, the key and what to write instead. ``Coordinator/reload()`` reads
    /// it again, and so does SIGHUP.
    public var settingsFile: String?
    /// The beginning of the names of environment variables whose settings replace those of this configuration and of
    /// ``settingsFile``. The default is nil, which stands for no variables.
    ///
    /// With the prefix `NOTES_`, the variable `NOTES_LIMITS_MEMORY_BYTES` sets `limits.memoryBytes`. A variable with
    /// the prefix that sets nothing is an error, so choose one that nothing else uses. Groups are set in a file only.
    public var settingsPrefix: String?

    /// The worker that this configuration belongs to, as far as it is known.
    var member = RuntimeEvent.Member()
    /// The closures that make the configuration of an instance, by the identifier of the feature.
    private var features: [String: @Sendable (_ instance: String) -> any Codable & Sendable] = [:]
    /// The times for which instances may be idle before they are closed, by the identifier of the feature.
    var idleTimeouts: [String: Duration] = [:]
    /// The identifiers of the features whose effects are cancelled when the client that requested them is lost.
    private var cancelsOfLostClients: Set<String> = []
    /// The closures that receive acknowledged states, by the identifier of the feature.
    var stateHooks: [String: any StateHooking] = [:]

    /// Wrappers of the launchers of workers, by the name of the group, with nil for all other groups. Tests inject
    /// faults with them.
    package var wrapLaunchers: [String?: @Sendable (any WorkerLauncher) -> any WorkerLauncher] = [:]
    /// Returns a function that wraps the connections of clients. Each coordinator calls this closure once.
    package var wrapClients: (@Sendable () -> ConnectionWrapper)?

    /// The values that ``maximumActionBytes`` can have: 1 byte to 64 MiB minus 64 KiB for the message around an action.
    public static var maximumActionBytesRange: ClosedRange<Int> { 1...FrameLimits.maximumPayload }
    /// The values that ``maximumStateBytes`` can have: 1 to 4,294,967,295 bytes.
    public static var maximumStateBytesRange: ClosedRange<Int> { 1...Int(UInt32.max) }
    /// The values that ``maximumInstances`` and ``maximumInstancesPerClient`` can have: 1 to 4,096.
    public static var maximumInstancesRange: ClosedRange<Int> { 1...4096 }
    /// The values that ``maximumEventsPerClient`` can have: 1 to 24,576, which is half of the events that all clients
    /// together can have.
    public static var maximumEventsPerClientRange: ClosedRange<Int> { 1...ShareLimits.maximumPerClient }

    /// Creates a configuration with the default settings.
    public init() {}

    /// Sets the configuration of a feature's instances. In the worker it is available in the feature's `HostContext`.
    ///
    /// ```swift
    /// configuration.configure(Notes.self) { instance in Notes.Configuration(directory: "/var/lib/notes/\(instance)") }
    /// ```
    ///
    /// - Parameters:
    ///   - feature: One of the hosted features. The call has no effect for other features.
    ///   - make: A closure that returns the configuration of an instance. It is called on any thread when the instance
    ///     with that key is first asked for. The result is used for as long as the coordinator has the instance, for
    ///     all incarnations of the worker. If the result takes more than 64 KiB when it is encoded, the instance is not
    ///     opened, and the caller gets an error with the reason.
    public mutating func configure<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ make: @escaping @Sendable (_ instance: String) -> Feature.Configuration
    ) {
        features[feature.identifier] = make
    }

    /// Closes the instances of a feature that have been idle for some time, as ``Coordinator/close(_:instance:)`` does.
    ///
    /// The state of a closed instance is lost. The next request with its key creates a new instance. An instance is
    /// idle if all of its events have ended and no client has it open. A client whose connection broke and that may
    /// still come back counts as having it open. Instances whose view model the coordinator's own program has asked for
    /// are never closed automatically.
    ///
    /// ```swift
    /// configuration.closeWhenIdle(Preview.self, after: .seconds(60))
    /// ```
    ///
    /// - Parameters:
    ///   - feature: One of the hosted features. The call has no effect for other features.
    ///   - idleTimeout: The time for which an instance must be idle, at least one millisecond. Without this call
    ///     instances stay open.
    public mutating func closeWhenIdle<Feature: HostedFeature>(_ feature: Feature.Type, after idleTimeout: Duration) {
        idleTimeouts[feature.identifier] = idleTimeout
    }

    /// Cancels the running effects of a client at instances of a feature when that client is lost.
    ///
    /// A client is lost when it was away for longer than ``clientRetention``, or when it left and has no identity with
    /// which it could come back. Without this call its effects continue. All lost clients together may then have as
    /// many running events at an instance as one client (``maximumEventsPerClient``). If there are more, those of the
    /// clients that were lost first are cancelled.
    ///
    /// ```swift
    /// configuration.cancelEffectsOfLostClients(Notes.self)
    /// ```
    ///
    /// - Parameter feature: One of the hosted features. The call has no effect for other features.
    public mutating func cancelEffectsOfLostClients<Feature: HostedFeature>(_ feature: Feature.Type) {
        cancelsOfLostClients.insert(feature.identifier)
    }

    func cancelsEffectsOfLostClients(of feature: any HostedFeature.Type) -> Bool {
        cancelsOfLostClients.contains(feature.identifier)
    }

    func idleTimeout(of feature: any HostedFeature.Type) -> Duration? { idleTimeouts[feature.identifier] }

    var quota: InstanceQuota {
        InstanceQuota(maximum: maximumInstances, maximumPerClient: maximumInstancesPerClient)
    }

    /// Returns the context of an instance, as far as the coordinator knows it before a worker runs the instance.
    func context(of feature: any HostedFeature.Type, instance: String) -> HostContext {
        HostContext(
            instance: instance,
            group: group,
            incarnation: 0,
            configuration: features[feature.identifier]?(instance)
        )
    }

    /// - Parameter group: The name of the group, or the empty string for features that are in no group.
    func wrap(_ launcher: any WorkerLauncher, of group: String) -> any WorkerLauncher {
        (wrapLaunchers[group] ?? wrapLaunchers[nil])?(launcher) ?? launcher
    }

    /// The limits for the events of one client at an instance.
    var shareLimits: ShareLimits {
        var limits = ShareLimits()
        limits.maximumEventsPerClient = maximumEventsPerClient
        return limits
    }

    /// The limits for the data that one channel keeps.
    var channelLimits: ChannelLimits {
        var limits = ChannelLimits()
        limits.maximumAction = maximumActionBytes
        limits.maximumState = maximumStateBytes
        limits.deadlineGrace = deadlineGrace
        return limits
    }
}
