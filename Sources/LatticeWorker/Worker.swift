package import LatticeCalls
import LatticeConcurrency
public import LatticeCore
import LatticeHosting
import LatticeProcess
import LatticeSession
import LatticeTransport
import LatticeWire
public import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The role of a process that a coordinator started to run features.
///
/// The same executable can play every role. Check first whether this process is a worker. If it is, run the worker and
/// do nothing else.
///
/// ```swift
/// if let worker = Worker.launchedBySupervisor(hosting: TallyFeature.self) {
///     try await worker.run()
///     return
/// }
/// ```
///
/// An interactor runs on the thread that reads its events, one action at a time. Effects run on threads of their own
/// (see `EffectThreads` of LatticeCore). The coordinator logs the standard output and error of the process line by
/// line. Use a ``WorkerLogHandler`` to log with level and metadata.
public struct Worker: Sendable {
    /// The exit code of a worker to which the system refuses a resource: EX_OSERR of `sysexits.h`.
    private static let systemErrorCode: Int32 = 71

    private let launch: LaunchVariable
    private let socket: OwnedDescriptor
    /// The record in which the supervisor sees the running turns, or nil if the supervisor did not ask for it.
    private let turns: TurnRecord?
    private let features: [any HostedFeature.Type]
    /// The lowest level that the coordinator logs, or nil if the coordinator did not say.
    let logLevel: String?
    /// The node that sends and receives the calls of actors.
    package let node: ActorNode
    /// The name of the worker's group, or the empty string if its features are in no group.
    ///
    /// A program whose groups have different tasks can check which group it works for:
    ///
    /// ```swift
    /// if worker.group == "thumbnails" { try system.host("thumbnailer") { Thumbnailer(actorSystem: $0) } }
    /// ```
    public let group: String

    init(
        launch: LaunchVariable,
        group: String,
        socket: OwnedDescriptor,
        turns: TurnRecord? = nil,
        logLevel: String? = nil,
        features: [any HostedFeature.Type]
    ) {
        self.launch = launch
        self.logLevel = logLevel
        self.group = group
        self.socket = socket
        self.turns = turns
        self.features = features
        node = ActorNode(
            isHub: false,
            title: (group.isEmpty ? "worker" : "worker \"\(group)\"") + " (process \(ProcessIdentity.own))",
            incarnation: launch.incarnation
        )
    }

    /// Returns the worker of this process, or nil if the process was not started by a coordinator.
    ///
    /// Call this function once, before any code reads standard input. The standard input of a worker is its socket. The
    /// function takes the socket and replaces standard input by an empty input.
    ///
    /// If the environment says that this process is a worker, but the socket cannot be moved, the process writes an
    /// error to standard error and exits with code 71. If standard input is not a socket, the function ignores the
    /// environment and returns nil.
    ///
    /// - Parameter features: The features that the worker hosts.
    public static func launchedBySupervisor(hosting features: any HostedFeature.Type...) -> Worker? {
        launchedBySupervisor(hosting: features)
    }

    /// Returns the worker of this process, or nil if the process was not started by a coordinator. This variant takes
    /// the features in an array.
    // The socket is taken over in `SocketConnection.takeStandardInput`.
    public static func launchedBySupervisor(hosting features: [any HostedFeature.Type]) -> Worker? {
        guard let value = getenv(LaunchVariable.name), let launch = LaunchVariable(String(cString: value)) else {
            return nil
        }
        // The variables are removed so that processes that this one starts do not take themselves for workers.
        let group = getenv(LaunchVariable.groupName).map { String(cString: $0) } ?? ""
        let turns = getenv(TurnRecord.variable).map { String(cString: $0) }
        let logLevel = getenv(LaunchVariable.logLevelName).map { String(cString: $0) }
        for name in [LaunchVariable.name, LaunchVariable.groupName, LaunchVariable.logLevelName, TurnRecord.variable] {
            unsetenv(name)
        }
        do throws(TransportError) {
            let socket = try SocketConnection.takeStandardInput()
            // The record is opened after the socket, because only then it is certain that this process is a worker.
            let record = turns.flatMap { TurnRecord(named: $0) }
            return Worker(
                launch: launch,
                group: group,
                socket: socket,
                turns: record,
                logLevel: logLevel,
                features: features
            )
        } catch {
            // If another program has set the variable and there is no socket, this is not a worker. With a socket it is
            // one, and must not continue as the application.
            guard error.code != .invalidDescriptor else { return nil }
            let remedy = error.errno == EMFILE ? " Allow it more open files." : ""
            let sentence =
                "This process was started as a worker and cannot take its socket from standard input. \(error.message)"
                + "\(remedy)\n"
            writeToError(sentence)
            exit(systemErrorCode)
        }
    }

    /// Writes a line to standard error, which the coordinator logs.
    private static func writeToError(_ line: String) {
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// The incarnation of this worker: the number of its process in the series of restarts. It starts at 1 and only
    /// grows.
    public var incarnation: UInt64 { launch.incarnation }

    /// Runs the features until the coordinator ends the session or dies.
    ///
    /// ```swift
    /// var dependencies = HostDependencies()
    /// dependencies[DatabaseKey.self] = try Database(path: "notes.sqlite")
    /// try await worker.run(dependencies: dependencies)
    /// ```
    ///
    /// - Parameters:
    ///   - dependencies: The dependencies that the features find in their `HostContext`. All instances get the same.
    ///   - logger: The logger for what the worker drops when a limit is reached, such as calls and answers. If nil, the
    ///     messages go to the coordinator's log through a ``WorkerLogHandler`` with the label "lattice".
    ///   - observers: The observers of what the runtime of the worker does. They are called on any thread.
    ///   - cancellationGrace: The time that the effects of a cancelled event have to return. The event ends at once. If
    ///     effects continue after this time, the log says so, see `RuntimeEvent.effectsLinger`.
    ///   - isolation: The isolation of the caller. Leave it out.
    /// - Throws: An error if the coordinator refuses this worker, if the features do not fit into a handshake, or if
    ///   the system refuses a thread or descriptor.
    public func run(
        dependencies: HostDependencies = HostDependencies(),
        logger: Logger? = nil,
        observers: [RuntimeObserver] = [],
        cancellationGrace: Duration = .seconds(10),
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try FeatureAdvertisement.checkRoom(for: features)
        endForOverdueEffects()
        let (reactor, connection) = try await begin()
        let events = connectEvents(observers, logger ?? Logger(label: "lattice") { logHandler(label: $0) })
        reportLingeringEffects(after: cancellationGrace, to: events)
        let host = WorkerHost(
            features: features,
            incarnation: launch.incarnation,
            group: group,
            dependencies: dependencies,
            turns: turns,
            node: node,
            events: events,
            eventLoop: reactor
        )
        let hello = Hello(
            versions: WireVersion.supported,
            role: .worker,
            incarnation: launch.incarnation,
            token: launch.token,
            identity: [],
            processID: UInt32(ProcessIdentity.own),
            features: features.map { FeatureAdvertisement($0, level: .domain) },
            build: ProgramBuild.own,
            node: node.id.bytes
        )
        // The coordinator decides how long the start may take.
        let session = Session(
            over: connection,
            as: .initiator(hello),
            handshakeTimeout: nil,
            maximumPayload: Int(UInt32.max),
            handler: host
        )
        session.start()
        defer { reactor.stop() }
        try await withTaskCancellationHandler {
            _ = isolation
            // This waits on a thread of the library, because effects may occupy the threads of Swift's pool.
            try await withTaskExecutorPreference(ThreadPool.shared) {
                _ = isolation
                try await host.ended.value.get()
            }
        } onCancel: {
            session.end()
        }
    }

    /// Lets this process end when an effect has not ended after its timeout or cancellation and its grace period.
    private func endForOverdueEffects() {
        OverdueEffect.endProcess { [turns] effect in
            Self.writeToError("\(effect.sentence), so its worker ends.\n")
            // The coordinator finds the reason in the record. Without a record it sees the signal.
            turns?.noteOverdue()
            kill(getpid(), SIGKILL)
        }
    }

    /// Reports effects that continue after their cancellation to the observers and the log.
    private func reportLingeringEffects(after grace: Duration, to events: RuntimeEvents) {
        var policy = LingeringEffects.policy
        policy.grace = grace
        policy.report = { lingering in
            let event = RuntimeEvent.effectsLinger(
                lingering.event,
                effects: lingering.effects,
                after: lingering.grace
            )
            // Observers may take a while, and the thread of the timers must not wait.
            Task(executorPreference: ThreadPool.shared) { events.emit(.effectsLinger, event) }
        }
        LingeringEffects.policy = policy
    }

    /// Connects the node with the observers and the log.
    ///
    /// - Returns: The sink of the events of this process.
    func connectEvents(_ observers: [RuntimeObserver], _ logger: Logger) -> RuntimeEvents {
        let events = RuntimeEvents(observers + [.logging(to: logger)])
        node.connect(to: events)
        return events
    }

    /// Reserves the system resources of the worker. If one is refused, the coordinator gets the reason.
    private func begin() async throws(TransportError) -> (Reactor, SocketConnection) {
        do throws(TransportError) {
            try await SwiftTimers.start()
            let reactor = try Reactor.start(name: "lattice-worker")
            try HangUpWatch.start(on: socket)
            return (reactor, try SocketConnection(adopting: socket, reactor: reactor))
        } catch {
            // The worker's own limit of descriptors will be the same next time, so it is not reported.
            if error.isLackOfResources, let number = error.errno, number != EMFILE { turns?.note(lack: number) }
            throw error
        }
    }
}

extension Worker: ActorProcess {
    /// The object that sends and receives the calls of actors. It is an implementation detail of Lattice.
    public var _actorNode: any Sendable { node }
}
