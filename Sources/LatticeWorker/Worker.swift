import LatticeConcurrency
public import LatticeCore
import LatticeHosting
public import LatticeSession
import LatticeTransport
import LatticeWire

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The role of a process that was started by a coordinator to run features.
///
/// One executable plays every role: ask first whether this process is a worker, and if it is, do nothing else.
///
/// ```swift
/// if let worker = Worker.launchedBySupervisor(hosting: TallyFeature.self) {
///     try await worker.run()
///     return
/// }
/// ```
///
/// The interactors run on the thread that reads their events, one action at a time; effects run on threads of their
/// own, see `EffectThreads` of LatticeCore. What the process writes to its standard output and error reaches the
/// coordinator's log, line by line; what it logs, with level and metadata, by a ``WorkerLogHandler``.
public struct Worker: Sendable {
    /// What a worker exits with that the system refuses what it needs: EX_OSERR of `sysexits.h`.
    private static let systemErrorCode: Int32 = 71

    private let launch: LaunchVariable
    private let socket: OwnedDescriptor
    /// Where its turns are told; nil: nobody has asked for that.
    private let turns: TurnRecord?
    private let features: [any HostedFeature.Type]
    /// The lowest level that the coordinator logs, as it says; nil: it says nothing.
    let logLevel: String?
    /// What an actor system is made with, by which this worker calls actors elsewhere and serves its own.
    public let node: ActorNode
    /// The name of its group; empty for the worker of features that are in none.
    ///
    /// By it a program whose groups have different tasks tells which is this one's:
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

    /// The worker of this process, or nil if it was not started by a coordinator.
    ///
    /// Call it once, before anything else reads standard input: a worker's standard input is its socket, which this
    /// takes away and replaces by an empty input. A process whose environment says that it is a worker, and whose
    /// standard input is a socket that cannot be moved, ends here with exit code 71 and a sentence on standard error;
    /// without a socket the variable is taken for somebody else's, and this is nil.
    public static func launchedBySupervisor(hosting features: any HostedFeature.Type...) -> Worker? {
        launchedBySupervisor(hosting: features)
    }

    /// The same for a list that is put together elsewhere.
    // The socket is taken over in `SocketConnection.takeStandardInput`.
    public static func launchedBySupervisor(hosting features: [any HostedFeature.Type]) -> Worker? {
        guard let value = getenv(LaunchVariable.name), let launch = LaunchVariable(String(cString: value)) else {
            return nil
        }
        // So that what this process starts is no worker by mistake.
        let group = getenv(LaunchVariable.groupName).map { String(cString: $0) } ?? ""
        let turns = getenv(TurnRecord.variable).map { String(cString: $0) }
        let logLevel = getenv(LaunchVariable.logLevelName).map { String(cString: $0) }
        for name in [LaunchVariable.name, LaunchVariable.groupName, LaunchVariable.logLevelName, TurnRecord.variable] {
            unsetenv(name)
        }
        do throws(TransportError) {
            let socket = try SocketConnection.takeStandardInput()
            // Behind the socket: this process is a worker.
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
            // A variable that somebody else has set, with no socket beside it, makes no worker. With one it does: such
            // a process must not go on as the application.
            guard error.code != .invalidDescriptor else { return nil }
            let remedy = error.errno == EMFILE ? " Allow it more open files." : ""
            let sentence =
                "this process was started as a worker and cannot take its socket from standard input: \(error.message)"
                + "\(remedy)\n"
            tell(sentence)
            exit(systemErrorCode)
        }
    }

    /// Writes a line for the coordinator's log.
    private static func tell(_ line: String) {
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// The number of this life of the worker, from 1 on; it only grows.
    public var incarnation: UInt64 { launch.incarnation }

    /// Runs the features until the coordinator ends the session or dies.
    ///
    /// - Parameters:
    ///   - dependencies: What the features find in their ``HostContext``, each instance the same.
    ///   - isolation: The caller's; leave it out.
    /// - Throws: When the coordinator refuses this worker, when it hosts more than a handshake can say, or when the
    ///   machine does not give a thread or descriptor.
    public func run(
        dependencies: HostDependencies = HostDependencies(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try FeatureAdvertisement.checkRoom(for: features)
        let (reactor, connection) = try await begin()
        node.onNote { Self.tell("lattice: \($0)\n") }
        let host = WorkerHost(
            features: features,
            incarnation: launch.incarnation,
            group: group,
            dependencies: dependencies,
            turns: turns,
            node: node,
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
        // How long the start may take is for the coordinator to say.
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
            // Not on Swift's threads, which tasks of effects may keep.
            try await withTaskExecutorPreference(ThreadPool.shared) {
                _ = isolation
                try await host.ended.value.get()
            }
        } onCancel: {
            session.end()
        }
    }

    /// Takes what it needs of the system; the coordinator hears whether that was refused.
    private func begin() async throws(TransportError) -> (Reactor, SocketConnection) {
        do throws(TransportError) {
            try await SwiftTimers.start()
            let reactor = try Reactor.start(name: "lattice-worker")
            try HangUpWatch.start(on: socket)
            return (reactor, try SocketConnection(adopting: socket, reactor: reactor))
        } catch {
            // Its own limit of descriptors is the same the next time.
            if error.isLackOfResources, let number = error.errno, number != EMFILE { turns?.note(lack: number) }
            throw error
        }
    }
}
