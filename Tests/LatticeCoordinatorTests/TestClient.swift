import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTestSupport
import LatticeTransport
import LatticeWire
import Testing

@testable import LatticeCoordinator

/// The parts of a client, with connections that the test controls.
final class TestClient: Sendable {
    typealias Channel = FeatureClient<JournalFeature.Action, JournalFeature.ViewState>
    typealias Recorder = ChannelRecorder<JournalFeature.ViewState>

    let channels: ClientChannels
    private let owner = OwnerRecorder()
    var opened: Watched<Int> { owner.opened }
    var closed: Watched<[SessionError?]> { owner.closed }
    private let identity: [UInt8]
    private let clients: ClientRegistry
    private let reactor: Reactor
    private let sessions = Watched<[Session]>([])
    /// Receives the bytes that arrive on the connections of the client, if it is set.
    let taps = Watched<Watched<[UInt8]>?>(nil)

    init(identity: [UInt8], clients: ClientRegistry, reactor: Reactor) {
        self.identity = identity
        self.clients = clients
        self.reactor = reactor
        channels = ClientChannels(eventLoop: reactor, as: .initiator)
        channels.connect(owner)
    }

    var session: Session? { sessions.value.last }

    /// The name of this client as the sender of its events.
    var name: String { EventSender(identity).map(\.description) ?? "" }

    @discardableResult
    func connect(hasIdentity: Bool = true, isLocal: Bool = false) async throws -> Session {
        let before = opened.value
        let session = startConnecting(hasIdentity: hasIdentity, isLocal: isLocal)
        try await opened.until { $0 > before }
        return session
    }

    /// Connects without waiting for the answer.
    @discardableResult
    func startConnecting(
        role: Role = .client,
        hasIdentity: Bool = true,
        asForeign: Bool = false,
        isLocal: Bool = false,
        faults: LossyLink.Faults = .none
    ) -> Session {
        let (near, far): (any Connection, any Connection) =
            asForeign || isLocal
            ? MemoryConnection.pair(eventLoop: reactor)
            : MessageConnection.pair(eventLoop: reactor, capacity: 64 * 1024, faults: faults)
        let hello = Handshakes.hello(role: role, incarnation: 0, token: [], identity: hasIdentity ? identity : [])
        let session = Session(
            over: taps.value.map { TappedConnection(over: near, received: $0) } ?? near,
            as: .initiator(hello),
            // A real client has this liveness too. Without it, a lost end of a connection would not be noticed.
            liveness: faults.lost == 0 ? nil : Liveness(interval: .milliseconds(100), timeout: .seconds(2)),
            handler: channels
        )
        sessions.change { $0.append(session) }
        if asForeign { clients.acceptForeign(far) } else { clients.accept(far) }
        session.start()
        return session
    }

    /// Loses the connection, with whatever is on it.
    func disconnect() async throws {
        let before = closed.value.count
        session?.connection.close()
        try await closed.until { $0.count > before }
        channels.detach()
    }

    func open(
        _ recorder: Recorder,
        feature: String = "journal",
        schema: Int = 1,
        instance: String = "",
        limits: ChannelLimits = .patient
    ) -> Channel {
        Channel(
            .init(feature: feature, schema: schema, instance: instance, restoresState: false),
            in: channels,
            sender: EventSender(identity),
            limits: limits,
            deliver: { recorder.receive($0) }
        )
    }

    /// A view model that mirrors the coordinator's, as clients have it.
    @MainActor func viewModel<Feature: HostedFeature>(_ feature: Feature.Type) async throws -> ViewModel<Feature> {
        let engine = RemoteEngine<Feature.Action, Feature.ViewState>()
        engine.connect(
            FeatureClient(
                .init(feature, instance: ""),
                in: channels,
                sender: nil,
                deliver: { engine.receive($0) }
            ).actions
        )
        try await engine.whenOpened()
        let viewState = try #require(engine.viewState)
        return ViewModel(viewState: viewState, engine: engine, areViewStatesEqual: { $0 == $1 })
    }
}

extension OpeningClient {
    /// A client about whose process nothing is known.
    static func sample(_ sender: EventSender, connection: UInt64 = 1, processID: Int32? = nil) -> OpeningClient {
        OpeningClient(
            sender,
            connection: connection,
            SenderFacts(processID: processID, userID: nil, program: nil)
        )
    }
}
