import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The registry of connected clients, and of disconnected ones that may come back. It accepts their connections.
final class ClientRegistry: Sendable {
    private struct Core {
        var places: ClientPlaces<ObjectIdentifier>
        var rejections: [RuntimeEvent.Rejection: LogBurst] = [:]
        var connections: [ObjectIdentifier: ClientConnection] = [:]
        /// The number of the connection that was accepted last.
        var lastConnection: UInt64 = 0
        /// The clients by the identities that they chose.
        var clients: [[UInt8]: ClientSession] = [:]
        /// The timer until the retention of some disconnected client ends. Nil if none runs.
        var absenceTimer: EventLoopTimer?
        var isStopping = false

        /// Removes one disconnected client if there are too many of them, and returns it.
        mutating func forgetOneAbsent() -> ClientSession? {
            // With fewer clients there cannot be too many disconnected ones.
            guard clients.count > places.maximumClients else { return nil }
            let absent = clients.compactMap { identity, client in
                client.absentSince.map { AbsentClients.Absence(id: identity, process: client.process, since: $0) }
            }
            let forgotten = AbsentClients(limit: places.maximumClients).clientToForget(of: absent)
            return forgotten.flatMap { clients.removeValue(forKey: $0) }
        }
    }

    let registry: FeatureRegistry
    /// The node that sends and receives calls of actors.
    let node: ActorNode
    let events: RuntimeEvents
    /// Answers the requests to look into the coordinator, and to act on it.
    let control: ControlServer
    /// The settings, some of which change while the coordinator runs.
    private let settings: LiveConfiguration
    var configuration: CoordinatorConfiguration { settings.value }
    private let acceptance: Handshake.Acceptance
    private let assembly: AssemblyBudget
    private let budget: DescriptorBudget
    private let core: Locked<Core>
    /// Completes when no client is connected any more after `stop` was called.
    private let allLeft = OneShot<Void>()

    init(
        registry: FeatureRegistry,
        features: [any HostedFeature.Type],
        storeID: EventSender,
        coordinatorID: UInt64,
        configuration: CoordinatorConfiguration,
        settings: LiveConfiguration? = nil,
        budget: DescriptorBudget = DescriptorBudget(limit: DescriptorBudget.wantedLimit(workers: 1), open: 0),
        assembly: AssemblyBudget = AssemblyBudget(),
        node: ActorNode = ActorNode(isHub: true, title: "coordinator"),
        control: ControlServer? = nil
    ) {
        self.registry = registry
        self.node = node
        self.assembly = assembly
        self.budget = budget
        let settings = settings ?? LiveConfiguration(configuration)
        self.control = control ?? ControlServer(of: registry, settings: settings)
        core = Locked(Core(places: ClientPlaces(maximumClients: budget.clients, handshakes: budget.refusals)))
        self.settings = settings
        events = configuration.events
        acceptance = Handshake.Acceptance(
            Welcome(
                role: .coordinator,
                coordinatorID: coordinatorID,
                processID: UInt32(ProcessIdentity.own),
                features: features.map { FeatureAdvertisement($0, level: .view) },
                storeID: storeID.bytes,
                node: node.id.bytes
            ),
            // The kernel has confirmed that the peer has the same user. This check is sufficient.
            of: [.client, .tool]
        )
    }

    func accept(_ connection: any Connection) {
        let number = core.withLock { core in
            core.lastConnection += 1
            return core.lastConnection
        }
        let newcomer = ClientConnection(number, clients: self)
        let eventLoop = connection.eventLoop
        // The key is an object identifier because a weak reference would slow down every other reference to the object.
        let place = ObjectIdentifier(newcomer)
        let (isStopping, evicted) = core.withLock { core -> (Bool, ClientConnection?) in
            guard !core.isStopping else { return (true, nil) }
            core.connections[place] = newcomer
            let evicted = core.places.connected(place, of: connection.peer.processID)
            return (false, evicted.flatMap { core.connections[$0] })
        }
        guard !isStopping else {
            return reject(connection, .busy("The coordinator is stopping. Connect again when it is running again."))
        }
        if let evicted {
            evicted.session?.abort(.busy("The connection sent no hello, and another one needed its place. Try again."))
            note(.silent, on: eventLoop)
        }
        var acceptance = acceptance
        acceptance.busyReason = { [self] role in busyReason(forPlace: place, of: role, on: eventLoop) }
        newcomer.start(makeSession(over: connection, acceptance, handler: newcomer))
    }

    /// Refuses a connection of another user, with a reason.
    func acceptForeign(_ connection: any Connection) {
        note(.otherUser, on: connection.eventLoop)
        reject(connection, .foreign(connection.peer.userID, servesUser: Peer.Credentials.current.userID))
    }

    /// Refuses a connection with an error, without reading any messages.
    private func reject(_ connection: any Connection, _ error: SessionError) {
        let session = makeSession(over: connection, acceptance, handler: RejectedConnection())
        session.start()
        session.abort(error)
    }

    private func makeSession(
        over connection: any Connection,
        _ acceptance: Handshake.Acceptance,
        handler: any SessionHandler
    ) -> Session {
        Session(
            over: connection,
            as: .acceptor(acceptance),
            liveness: Liveness(interval: configuration.heartbeatInterval, timeout: configuration.heartbeatTimeout),
            // Clients send no states.
            maximumPayload: 0,
            assembly: assembly,
            handler: handler
        )
    }

    /// Reserves a place for a process that sent hello. Returns the reason if there is no place, or nil.
    private func busyReason(forPlace place: ObjectIdentifier, of role: Role, on eventLoop: any EventLoop) -> String? {
        if role == .tool {
            return core.withLock { $0.places.saidHelloAsTool(place) } ? nil : DescriptorBudget.refusalOfTools
        }
        let hasPlace = core.withLock { $0.places.saidHello(place) }
        guard !hasPlace else { return nil }
        note(.tooManyClients, on: eventLoop)
        return budget.refusalReason
    }

    private func note(_ rejection: RuntimeEvent.Rejection, on eventLoop: any EventLoop) {
        let isFirst = core.withLock { $0.rejections[rejection, default: LogBurst()].note(at: .now) }
        guard isFirst else { return }
        events.emit(.connectionsRejected, .connectionsRejected(rejection, count: 1, isFirst: true))
        eventLoop.execute { [self] in watchBurst(of: rejection, on: eventLoop) }
    }

    /// Reports the number of further rejections, until there are none for a while. Runs on the event loop's thread.
    private func watchBurst(of rejection: RuntimeEvent.Rejection, on eventLoop: any EventLoop) {
        _ = eventLoop.at(.now + LogBurst.quiet) { [self] in
            let (count, isActive) = core.withLock { core in
                (core.rejections[rejection]?.tick(now: .now), core.rejections[rejection]?.isActive ?? false)
            }
            if let count {
                events.emit(.connectionsRejected, .connectionsRejected(rejection, count: count, isFirst: false))
            }
            if isActive { watchBurst(of: rejection, on: eventLoop) }
        }
    }

    /// Returns the client with an identity. It is the same object as for an earlier connection, if the client was kept.
    ///
    /// - Returns: The client, and the session to end if two sessions have the same identity. This is the one that
    ///   connected first.
    func client(
        _ identity: [UInt8],
        on session: Session,
        by connection: UInt64,
        _ facts: SenderFacts
    ) -> (ClientSession, over: Session?) {
        let (client, over, isNew) = core.withLock { core in
            let known = core.clients[identity]
            let client = known ?? ClientSession(identity: identity, eventLoop: session.eventLoop)
            if !identity.isEmpty { core.clients[identity] = client }
            // This happens under the lock, so that the client is not forgotten in between.
            return (client, client.connected(session, by: connection, facts), known == nil)
        }
        if isNew { events.emit(.clientJoined, .clientJoined(client.described)) }
        return (client, over)
    }

    /// The clients that are connected and have completed their handshake.
    var connected: [ClientSession] {
        let connections = core.withLock { Array($0.connections.values) }
        return connections.compactMap(\.connectedClient)
    }

    /// The clients that are connected, and those that the coordinator waits for.
    var all: [ClientSession] { connected + known.filter { $0.absentSince != nil } }

    /// The tools that are connected and have completed their handshake.
    var tools: [ConnectedTool] {
        let connections = core.withLock { Array($0.connections.values) }
        return connections.compactMap(\.connectedTool)
    }

    /// The numbers of connected clients and of tools, and their maximums.
    var places: (clients: Int, maximumClients: Int, tools: Int, maximumTools: Int) {
        core.withLock { core in
            let places = core.places
            return (places.clientCount, places.maximumClients, places.toolCount, places.maximumTools)
        }
    }

    /// The clients that the coordinator knows, connected or not.
    var known: [ClientSession] { core.withLock { Array($0.clients.values) } }

    func left(_ connection: ClientConnection, _ client: ClientSession?) {
        let forgotten = core.withLock { core in
            core.connections[ObjectIdentifier(connection)] = nil
            core.places.left(ObjectIdentifier(connection))
            if core.isStopping, core.connections.isEmpty { allLeft.complete() }
            guard let client, core.clients[client.identity] === client else { return client }
            guard client.absentSince != nil, client.hasNoChannels else { return core.forgetOneAbsent() }
            // The client has no channels to come back to.
            core.clients[client.identity] = nil
            return client
        }
        if let forgotten { lose([forgotten]) }
    }

    /// Forgets the clients that were disconnected for longer than the retention.
    func tick(now: ContinuousClock.Instant) {
        let retention = configuration.clientRetention
        let expired = core.withLock { core in
            let expired = core.clients.filter { _, client in
                client.absentSince.map { $0 + retention <= now } ?? false
            }
            for identity in expired.keys { core.clients[identity] = nil }
            return Array(expired.values)
        }
        lose(expired)
    }

    /// Applies a new retention to clients that are already disconnected.
    func retentionChanged(on eventLoop: any EventLoop) {
        eventLoop.execute { [self] in
            tick(now: .now)
            if let timer = core.withLock({ $0.absenceTimer.take() }) { eventLoop.cancel(timer) }
            watchAbsence(on: eventLoop)
        }
    }

    /// Schedules the end of the retention of disconnected clients. Call it on the event loop's thread.
    func watchAbsence(on eventLoop: any EventLoop) {
        let first = core.withLock { core in
            core.absenceTimer == nil ? core.clients.values.compactMap(\.absentSince).min() : nil
        }
        guard let first else { return }
        // Timers are set, fire and are cancelled on this thread only.
        let timer = eventLoop.at(first + configuration.clientRetention) { [self] in
            core.withLock { $0.absenceTimer = nil }
            tick(now: .now)
            watchAbsence(on: eventLoop)
        }
        core.withLock { $0.absenceTimer = timer }
    }

    /// Stops publishing on channels that the client no longer has.
    func abandon(_ channels: [ClientSession.Channel], of client: ClientSession) {
        for channel in channels {
            registry.existingHost(channel.key)?.abandon(channel.server, of: client.sender)
        }
    }

    /// Handles clients that do not come back. No client waits any longer for the outcomes of their events.
    private func lose(_ clients: [ClientSession]) {
        for client in clients { events.emit(.clientLeft, .clientLeft(client.described)) }
        for client in clients {
            let channels = client.channels
            abandon(channels, of: client)
            if client.hasAbandonedChannels {
                registry.lose(client.sender)
            } else {
                for key in Set(channels.map(\.key)) { registry.existingHost(key)?.lose(client.sender) }
            }
        }
    }

    /// Sends clients the messages that are due and a goodbye, and waits until they have read them.
    ///
    /// - Parameter timeout: The maximum time to wait.
    func stop(within timeout: Duration) async {
        let connections = core.withLock { core in
            core.isStopping = true
            return Array(core.connections.values)
        }
        guard !connections.isEmpty else { return }
        for connection in connections { connection.endAfterPublishing() }
        await allLeft.wait(atMost: timeout)
        // The remaining connections do not read.
        for connection in connections { connection.end() }
    }
}
