package import LatticeCalls
import LatticeConcurrency
public import LatticeCore
package import LatticeHosting
import LatticeSession
package import LatticeTransport
import LatticeWire

/// A program that shares the view states of a coordinator on the same host.
///
/// The view models of a client mirror those of the coordinator. An event that one client sends changes what all clients
/// show. If the connection is lost, the client reconnects and opens its view models again. Events that the coordinator
/// has not acknowledged are then sent again, and each of them is applied once.
///
/// You get a client from `withClient`, which connects it, passes it to a closure, and ends it afterwards:
///
/// ```swift
/// try await withClient(connectingTo: path) { client in
///     let viewModel = try await client.viewModel(TallyFeature.self)
///     let outcome = await viewModel.sendViewEvent(.scan(directory)).finish()
///     print(outcome, viewModel.viewState)
/// }
/// ```
public final class Client: Sendable {
    struct Core {
        var session: Session?
        var pace: ReconnectPace
        var isEnding = false
        /// The process ID of the coordinator while its session is open.
        var coordinator: Int32?
        /// Completes with the handshake or with the end of the current connection.
        var connected = OneShot<Result<Void, any Error>>()
        /// Completes when the current connection has ended.
        var lost = OneShot<SessionError?>()
    }

    /// The path of the coordinator's socket.
    public let socketPath: String
    /// The node that sends and receives the calls of actors.
    package let node = ActorNode(isHub: false, title: "client")

    let path: SocketPath
    let configuration: ClientConfiguration
    let events: RuntimeEvents
    /// The function that wraps each connection, for tests.
    let wrap: ConnectionWrapper?
    let clock: any Clock<Duration>
    let reactor: Reactor
    let ownsReactor: Bool
    let channels: ClientChannels
    let hello: Hello
    let core: Locked<Core>
    let shownStatus = ShownConnectionStatus()

    /// Creates a client that is not connected yet.
    ///
    /// - Parameters:
    ///   - path: The path of the coordinator's socket.
    ///   - configuration: The settings of the client.
    ///   - clock: The clock for the delays between attempts to connect.
    ///   - shared: A reactor that several clients of this process share and that its owner stops, or nil to create one.
    ///   - seed: The seed for the random part of the delays, or nil for a different one each time.
    package init(
        connectingTo path: String,
        configuration: ClientConfiguration,
        clock: any Clock<Duration> = ContinuousClock(),
        reactor shared: Reactor? = nil,
        seed: UInt64? = nil
    ) throws {
        try Result { () throws(ConfigurationError) in try configuration.check() }.mapError(ClientError.invalid).get()
        let pace = ReconnectPace(policy: configuration.reconnect, seed: seed ?? .random(in: .min ... .max))
        core = Locked(Core(pace: pace))
        self.path = try Result { try SocketPath(path) }.mapError { ClientError.connecting(path, $0) }.get()
        socketPath = path
        self.configuration = configuration
        events = configuration.events
        self.clock = clock
        reactor = try shared ?? Reactor.start(name: "lattice-client")
        ownsReactor = shared == nil
        wrap = configuration.wrapConnections?()
        channels = ClientChannels(eventLoop: reactor, as: .initiator)
        hello = Hello(
            versions: WireVersion.supported,
            role: .client,
            incarnation: 0,
            token: [],
            identity: EventSender.random().bytes,
            processID: UInt32(ProcessIdentity.own),
            features: [],
            node: node.id.bytes
        )
        channels.connect(self)
        node.connect(to: events)
    }

    /// Returns the directory for the sockets of this user's programs with a common name.
    ///
    /// The directory is `name` in `XDG_RUNTIME_DIR` (on Apple platforms in the user's temporary directory), or else
    /// `/tmp/name-UID`. The variable is ignored if it is a relative path or does not name a directory. The directory
    /// `name` need not exist. A coordinator that listens in it creates it, and refuses to use it if other users could
    /// change it.
    ///
    /// `Coordinator` has the same function, so that a coordinator and its clients agree on the path:
    ///
    /// ```swift
    /// let path = try Client.runtimeDirectory("tally") + "/main"
    /// ```
    ///
    /// - Throws: `ClientError` if the variable names a directory of another user, as it does after `su`.
    public static func runtimeDirectory(_ name: String) throws -> String {
        try Result { try SocketPath.runtimeDirectory(name) }.mapError(ClientError.noPlace).get()
    }

    /// Returns a view model that mirrors the coordinator's view model of a feature.
    ///
    /// The function returns when the first view state has arrived. It waits for at most
    /// ``ClientConfiguration/openTimeout``. Each call opens a channel of its own.
    ///
    /// - Parameters:
    ///   - feature: A feature that the coordinator hosts.
    ///   - instance: The key of one of several independent instances of the feature, at most 255 bytes. The default is
    ///     the empty key.
    /// - Throws: `ClientError` if the coordinator does not host the feature with this schema, or does not open it in
    ///   time. `CancellationError` if the calling task is cancelled.
    @MainActor public func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = ""
    ) async throws -> ViewModel<Feature> {
        guard instance.utf8.count <= MessageLimits.maximumInstance else {
            throw ClientError.instance(instance.utf8.count, MessageLimits.maximumInstance)
        }
        let engine = RemoteEngine<Feature.Action, Feature.ViewState>()
        let channel = openChannel(feature, instance: instance, deliver: engine.receiver)
        let number = channel.channel.number
        engine.connect(
            channel.actions,
            asking: { [node] in await node.ask($0, on: number, $1) },
            onClose: { [channels] in channels.remove(channel.channel) }
        )
        do {
            guard try await engine.whenOpened(within: configuration.openTimeout) else {
                throw ClientError.notOpened(Feature.identifier, socketPath, configuration.openTimeout, engine.host)
            }
            guard let viewState = engine.viewState else {
                throw ClientError.notServed(Feature.identifier, "It sent no view state.")
            }
            return ViewModel(
                viewState: viewState,
                engine: engine,
                areViewStatesEqual: { isUnchanged($0, $1) }
            )
        } catch {
            // No view model was created that could close the engine.
            engine.close()
            guard let end = error as? ChannelEnd else { throw error }
            throw ClientError(Feature.identifier, end)
        }
    }

    /// Opens a channel without a view model. The channel's deliveries arrive on the event loop.
    ///
    /// - Parameter deliversEveryState: A Boolean value that indicates whether states that arrive together are delivered
    ///   one by one.
    package func openChannel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = "",
        deliversEveryState: Bool = false,
        deliver: @escaping @Sendable (Delivery<Feature.ViewState>) -> Void
    ) -> FeatureClient<Feature.Action, Feature.ViewState> {
        let observed = RuntimeEvent.Instance(feature: feature.identifier, key: instance)
        let deliverObserved: @Sendable (Delivery<Feature.ViewState>) -> Void = { [events] delivery in
            if delivery.hasState {
                events.emit(.stateAccepted, .stateAccepted(observed, delivery.stateUpdate))
            }
            deliver(delivery)
        }
        var limits = ChannelLimits()
        limits.deadlineGrace = configuration.deadlineGrace
        return FeatureClient(
            ChannelClient.Subject(feature, instance: instance),
            in: channels,
            sender: EventSender(hello.identity),
            limits: limits,
            deliversEveryState: deliversEveryState,
            events: events,
            deliver: events.wants(.stateAccepted) ? deliverObserved : deliver
        )
    }
}

extension Client: ActorProcess {
    /// The object that sends and receives the calls of actors. It is an implementation detail of Lattice.
    public var _actorNode: any Sendable { node }
}
