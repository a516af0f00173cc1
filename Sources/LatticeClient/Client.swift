import LatticeConcurrency
public import LatticeCore
package import LatticeHosting
public import LatticeSession
package import LatticeTransport
import LatticeWire

/// A program that shares the view state of a coordinator on the same host.
///
/// Its view models mirror the coordinator's: what one client sends, all see. When the connection is lost the client
/// tries to get it back and opens its view models again; events that the coordinator has not acknowledged are sent
/// again, and applied once.
public final class Client: Sendable {
    struct Core {
        var session: Session?
        var pace: ReconnectPace
        var isEnding = false
        /// Completed by the handshake or by the end of the present connection.
        var connected = OneShot<Result<Void, any Error>>()
        var lost = OneShot<SessionError?>()
    }

    /// Where the coordinator listens.
    public let socketPath: String
    /// What an actor system is made with, by which this client calls actors elsewhere and serves its own.
    public let node = ActorNode(isHub: false, title: "client")

    let path: SocketPath
    let configuration: ClientConfiguration
    /// Put around each connection.
    let wrap: ConnectionWrapper?
    let clock: any Clock<Duration>
    let reactor: Reactor
    let ownsReactor: Bool
    let channels: ClientChannels
    let hello: Hello
    let core: Locked<Core>

    /// - Parameters:
    ///   - reactor: One that several clients of this process share; its owner stops it. nil: one of its own.
    ///   - seed: What the waits between tries to connect vary by; nil: another one each time.
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
    }

    /// Where the sockets of this user's programs of a name belong: a directory `name` in `XDG_RUNTIME_DIR` (on Apple's
    /// systems in the user's temporary directory), else `/tmp/name-UID`.
    ///
    /// A variable that is relative, or that names no directory, is passed over. The directory `name` need not be there:
    /// a coordinator that listens in it makes it, and refuses one that others could change. `Coordinator` has the same
    /// function, so that both meet.
    ///
    /// - Throws: `ClientError` if the variable names a directory of somebody else, as it does after `su`.
    public static func runtimeDirectory(_ name: String) throws -> String {
        try Result { try SocketPath.runtimeDirectory(name) }.mapError(ClientError.noPlace).get()
    }

    /// The view model of a feature, mirroring the coordinator's.
    ///
    /// Returns when the first view state is here, within `openTimeout`. Each call opens a channel of its own.
    ///
    /// - Parameter instance: Which of several independent states of the feature: at most 255 bytes.
    /// - Throws: `ClientError` when the coordinator does not serve the feature in this schema, or not in time;
    ///   `CancellationError` when the calling task is cancelled.
    @MainActor public func viewModel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = ""
    ) async throws -> ViewModel<Feature> {
        guard instance.utf8.count <= MessageLimits.maximumInstance else {
            throw ClientError.instance(instance.utf8.count, MessageLimits.maximumInstance)
        }
        let engine = RemoteEngine<Feature.Action, Feature.ViewState, Feature.ViewState>()
        let channel = openChannel(feature, instance: instance, deliver: engine.receiver)
        let number = channel.channel.number
        engine.connect(
            channel,
            asking: { [node] in await node.ask($0, on: number, $1) },
            onClose: { [channels] in channels.remove(channel.channel) }
        )
        do {
            guard try await engine.whenOpened(within: configuration.openTimeout) else {
                throw ClientError.notOpened(Feature.identifier, socketPath, configuration.openTimeout, engine.host)
            }
            guard let viewState = engine.state else {
                throw ClientError.notServed(Feature.identifier, "it sent no view state")
            }
            return ViewModel(
                viewState: viewState,
                engine: engine,
                areViewStatesEqual: { isUnchanged($0, $1) }
            )
        } catch {
            // No view model will do it.
            engine.close()
            guard let end = error as? ChannelEnd else { throw error }
            throw ClientError(Feature.identifier, end)
        }
    }

    /// A channel without a view model: what comes is delivered on the event loop.
    ///
    /// - Parameter deliversEveryState: Whether states that come together are delivered one by one.
    package func openChannel<Feature: HostedFeature>(
        _ feature: Feature.Type,
        instance: String = "",
        deliversEveryState: Bool = false,
        deliver: @escaping @Sendable (Delivery<Feature.ViewState>) -> Void
    ) -> FeatureClient<Feature.Action, Feature.ViewState> {
        FeatureClient(
            ChannelClient.Subject(feature, instance: instance),
            in: channels,
            sender: EventSender(hello.identity),
            deliversEveryState: deliversEveryState,
            deliver: deliver
        )
    }
}
