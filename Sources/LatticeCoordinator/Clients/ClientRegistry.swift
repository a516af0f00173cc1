import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire
import Logging

/// Takes in the connections of clients and knows who is there.
final class ClientRegistry: Sendable {
    private struct Core {
        var places: ClientPlaces<ObjectIdentifier>
        var turnedAway: [ConnectionRejection: LogBurst] = [:]
        var connections: [ObjectIdentifier: ClientConnection] = [:]
        /// The number of the connection that was taken in last.
        var lastConnection: UInt64 = 0
        /// By the identities that they chose.
        var clients: [[UInt8]: ClientSession] = [:]
        /// Whether a timer waits for the retention of the one that is away longest.
        var isWatchingAbsence = false
        var isStopping = false

        /// Keeps the number of clients that are waited for in bounds.
        mutating func forgetOneAbsent() -> ClientSession? {
            // There cannot be more of them.
            guard clients.count > places.maximumClients else { return nil }
            let absent = clients.compactMap { identity, client in
                client.absentSince.map { AbsentClients.Absence(id: identity, process: client.process, since: $0) }
            }
            let leaving = AbsentClients(limit: places.maximumClients).leaving(of: absent)
            return leaving.flatMap { clients.removeValue(forKey: $0) }
        }
    }

    let registry: FeatureRegistry
    /// Takes and makes calls of actors.
    let node: ActorNode
    private let configuration: CoordinatorConfiguration
    private let acceptance: Handshake.Acceptance
    private let assembly: AssemblyBudget
    private let budget: DescriptorBudget
    private let core: Locked<Core>
    /// Complete when no client is connected after `stop`.
    private let allLeft = OneShot<Void>()

    init(
        registry: FeatureRegistry,
        features: [any HostedFeature.Type],
        memory: EventSender,
        life: UInt64,
        configuration: CoordinatorConfiguration,
        budget: DescriptorBudget = DescriptorBudget(limit: DescriptorBudget.wantedLimit(workers: 1), open: 0),
        assembly: AssemblyBudget = AssemblyBudget(),
        node: ActorNode = ActorNode(isHub: true, title: "coordinator")
    ) {
        self.registry = registry
        self.node = node
        self.assembly = assembly
        self.budget = budget
        core = Locked(Core(places: ClientPlaces(maximumClients: budget.clients, handshakes: budget.refusals)))
        self.configuration = configuration
        acceptance = Handshake.Acceptance(
            Welcome(
                role: .coordinator,
                life: life,
                processID: UInt32(ProcessIdentity.own),
                features: features.map { FeatureAdvertisement($0, level: .view) },
                memory: memory.bytes,
                node: node.id.bytes
            ),
            // The kernel has told that it is the same user; nothing more is asked.
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
        // By its place: a weak reference would slow down every other one to it.
        let place = ObjectIdentifier(newcomer)
        let (isStopping, leaving) = core.withLock { core -> (Bool, ClientConnection?) in
            guard !core.isStopping else { return (true, nil) }
            core.connections[place] = newcomer
            let leaving = core.places.connected(place, of: connection.peer.processID)
            return (false, leaving.flatMap { core.connections[$0] })
        }
        guard !isStopping else {
            return turnAway(connection, .busy("the coordinator stops; connect when it runs again"))
        }
        if let leaving {
            leaving.session?.abort(.busy("no hello came before others needed the place; try again"))
            note(.silent, on: eventLoop)
        }
        var acceptance = acceptance
        acceptance.busyReason = { [self] in busyReason(forPlace: place, on: eventLoop) }
        newcomer.start(makeSession(over: connection, acceptance, handler: newcomer))
    }

    /// Tells a connection of another user that it may not connect.
    func acceptForeign(_ connection: any Connection) {
        note(.foreign, on: connection.eventLoop)
        turnAway(connection, .foreign(connection.peer.userID, servesUser: Peer.Credentials.current.userID))
    }

    /// Refuses whoever connected, without hearing what it has to say.
    private func turnAway(_ connection: any Connection, _ error: SessionError) {
        let session = makeSession(over: connection, acceptance, handler: TurnedAwayConnection())
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
            liveness: Liveness(interval: configuration.heartbeatInterval, limit: configuration.heartbeatTimeout),
            // Clients send no states.
            maximumPayload: 0,
            assembly: assembly,
            handler: handler
        )
    }

    /// Gives a client that said hello its place; answers why there is none.
    private func busyReason(forPlace place: ObjectIdentifier, on eventLoop: any EventLoop) -> String? {
        let hasPlace = core.withLock { $0.places.saidHello(place) }
        guard !hasPlace else { return nil }
        note(.tooMany, on: eventLoop)
        return budget.refusalReason
    }

    private func note(_ what: ConnectionRejection, on eventLoop: any EventLoop) {
        let isFirst = core.withLock { $0.turnedAway[what, default: LogBurst()].note(at: .now) }
        guard isFirst else { return }
        what.log(1, isFirst: true, to: configuration.logger)
        eventLoop.execute { [self] in watchBurst(of: what, on: eventLoop) }
    }

    /// Says that a client has lost its session because of a limit.
    func note(_ error: SessionError, of session: Session) {
        let process = session.connection.peer.processID.map { " (process \($0))" } ?? ""
        configuration.logger.warning("the session of a client\(process) ended: \(error)")
    }

    /// Says how many more there were, until there are none for a while. On the event loop's thread.
    private func watchBurst(of what: ConnectionRejection, on eventLoop: any EventLoop) {
        _ = eventLoop.at(.now + LogBurst.quiet) { [self] in
            let (count, goesOn) = core.withLock { core in
                (core.turnedAway[what]?.tick(now: .now), core.turnedAway[what]?.goesOn ?? false)
            }
            if let count { what.log(count, isFirst: false, to: configuration.logger) }
            if goesOn { watchBurst(of: what, on: eventLoop) }
        }
    }

    /// A client, by the identity that it chose; kept from an earlier connection if there was one.
    ///
    /// - Returns: The client, and the session that is over: of two with the same identity the one that connected first.
    func client(_ identity: [UInt8], on session: Session, by connection: UInt64) -> (ClientSession, over: Session?) {
        core.withLock { core in
            let client = core.clients[identity] ?? ClientSession(identity: identity, eventLoop: session.eventLoop)
            if !identity.isEmpty { core.clients[identity] = client }
            // Under the lock, so that it is not forgotten between the two.
            return (client, client.connected(session, by: connection))
        }
    }

    /// The clients that are known, there or away.
    var known: [ClientSession] { core.withLock { Array($0.clients.values) } }

    func left(_ connection: ClientConnection, _ client: ClientSession?) {
        let forgotten = core.withLock { core in
            core.connections[ObjectIdentifier(connection)] = nil
            core.places.left(ObjectIdentifier(connection))
            if core.isStopping, core.connections.isEmpty { allLeft.complete() }
            guard let client, core.clients[client.identity] === client else { return client }
            guard client.absentSince != nil, client.hasNothing else { return core.forgetOneAbsent() }
            // There is nothing to come back to.
            core.clients[client.identity] = nil
            return nil
        }
        if let forgotten { lose([forgotten]) }
    }

    /// Forgets clients that stayed away.
    func tick(now: ContinuousClock.Instant) {
        let expired = core.withLock { core in
            let expired = core.clients.filter { _, client in
                client.absentSince.map { $0 + configuration.clientRetention <= now } ?? false
            }
            for identity in expired.keys { core.clients[identity] = nil }
            return Array(expired.values)
        }
        lose(expired)
    }

    /// Forgets clients that stay away when their time is over. On the event loop's thread.
    func watchAbsence(on eventLoop: any EventLoop) {
        let due = core.withLock { core -> ContinuousClock.Instant? in
            guard !core.isWatchingAbsence, let first = core.clients.values.compactMap(\.absentSince).min() else {
                return nil
            }
            core.isWatchingAbsence = true
            return first + configuration.clientRetention
        }
        guard let due else { return }
        _ = eventLoop.at(due) { [self] in
            core.withLock { $0.isWatchingAbsence = false }
            tick(now: .now)
            watchAbsence(on: eventLoop)
        }
    }

    /// Shows nothing more on these, which the client has no more.
    func leaveBehind(_ channels: [ClientSession.Channel], of client: ClientSession) {
        guard !channels.isEmpty else { return }
        // Parentless: it lives for one hop to the main actor, and nothing waits for it.
        Task { @MainActor [registry] in
            for channel in channels {
                registry.existingHost(channel.key)?.leaveBehind(channel.server, of: client.sender)
            }
        }
    }

    /// These are gone for good: nobody asks any more for what they have running.
    private func lose(_ clients: [ClientSession]) {
        let lost = clients.filter { $0.hasLeftBehind || !$0.channels.isEmpty }
        guard !lost.isEmpty else { return }
        // Parentless, as above.
        Task { @MainActor [registry] in
            for client in lost {
                let channels = client.channels
                for channel in channels {
                    registry.existingHost(channel.key)?.leaveBehind(channel.server, of: client.sender)
                }
                if client.hasLeftBehind {
                    registry.lose(client.sender)
                } else {
                    for key in Set(channels.map(\.key)) { registry.existingHost(key)?.lose(client.sender) }
                }
            }
        }
    }

    /// Tells clients what they have still to be told, says goodbye behind it, and waits for that to be read, for
    /// `limit` at most.
    func stop(within limit: Duration) async {
        let connections = core.withLock { core in
            core.isStopping = true
            return Array(core.connections.values)
        }
        guard !connections.isEmpty else { return }
        for connection in connections { connection.endWhenTold() }
        await allLeft.wait(atMost: limit)
        // Those that do not read.
        for connection in connections { connection.end() }
    }
}
