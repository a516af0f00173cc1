import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire
import Logging
import Synchronization

/// Takes in the connections of clients and knows who is there.
final class ClientRegistry: Sendable {
    private struct Core {
        var peers: [ObjectIdentifier: ClientPeer] = [:]
        var records: [[UInt8]: ClientRecord] = [:]
        /// Whether a timer waits for the retention of the one that is away longest.
        var isWatchingAbsence = false
        var isStopping = false

        /// Keeps the number of clients that are waited for in bounds.
        mutating func forgetLongestAbsent(beyond limit: Int) -> ClientRecord? {
            let absent = records.compactMap { identity, record in
                record.absentSince.map { (identity: identity, since: $0) }
            }
            guard absent.count > limit, let oldest = absent.min(by: { $0.since < $1.since })
            else { return nil }
            return records.removeValue(forKey: oldest.identity)
        }
    }

    /// Far more programs than one person runs; each costs a descriptor.
    static let maximumClients = 1024
    /// Connections on top of that which are told why they are turned away; more than these are just closed.
    private static let maximumRefusals = 64

    let registry: FeatureRegistry
    private let configuration: CoordinatorConfiguration
    private let acceptance: Handshake.Acceptance
    private let maximumClients: Int
    private let assembly: AssemblyBudget
    private let core = Mutex(Core())
    /// Fulfilled when no client is connected after `stop`.
    private let allLeft = Promise<Void>()

    init(
        registry: FeatureRegistry,
        features: [any HostedFeature.Type],
        memory: EventSender,
        life: UInt64,
        configuration: CoordinatorConfiguration,
        maximumClients: Int = ClientRegistry.maximumClients,
        assembly: AssemblyBudget = AssemblyBudget()
    ) {
        self.registry = registry
        self.assembly = assembly
        self.maximumClients = maximumClients
        self.configuration = configuration
        acceptance = Handshake.Acceptance(
            role: .coordinator,
            allowedRoles: [.client, .tool],
            // The kernel has told that it is the same user; nothing more is asked.
            token: nil,
            incarnation: 0,
            processID: UInt32(ProcessIdentity.own),
            features: features.map { feature in
                FeatureAdvertisement(identifier: feature.identifier, schema: UInt32(feature.schema), level: .view)
            },
            memory: memory,
            life: life
        )
    }

    func accept(_ connection: any Connection) {
        let peer = ClientPeer(clients: self)
        let others = core.withLock { core in
            let others = core.peers.count
            if !core.isStopping, others < maximumClients + Self.maximumRefusals {
                core.peers[ObjectIdentifier(peer)] = peer
            }
            return core.peers.count > others ? others : nil
        }
        guard let others else { return connection.close() }
        var acceptance = acceptance
        if others >= maximumClients {
            configuration.logger.warning("a client was turned away: \(maximumClients) are connected")
            acceptance.busyReason =
                "\(maximumClients) clients are connected, and no more are taken; end one of them and try again"
        }
        let session = Session(
            over: connection,
            as: .acceptor(acceptance),
            liveness: (configuration.heartbeatInterval, configuration.heartbeatLimit),
            assembly: assembly,
            handler: peer
        )
        peer.start(session)
    }

    /// The record of a client, by the identity that it chose; kept from an earlier connection if there was one. An older
    /// session with the same identity ends.
    func record(of identity: [UInt8], connectedBy session: Session) -> ClientRecord {
        let (record, older) = core.withLock { core in
            let record = core.records[identity] ?? ClientRecord(identity: identity)
            if !identity.isEmpty { core.records[identity] = record }
            // Under the lock, so that it is not forgotten between the two.
            return (record, record.connected(session))
        }
        older?.abort(.replaced)
        return record
    }

    /// Clients that are known, and those among them that are away.
    var recordCount: Int { core.withLock(\.records.count) }
    var absentCount: Int { core.withLock { core in core.records.values.count { $0.absentSince != nil } } }

    func left(_ peer: ClientPeer, _ record: ClientRecord?) {
        let forgotten = core.withLock { core in
            core.peers[ObjectIdentifier(peer)] = nil
            if core.isStopping, core.peers.isEmpty { allLeft.fulfil(.success(())) }
            let isKnown = core.records.values.contains { $0 === record }
            return isKnown ? core.forgetLongestAbsent(beyond: maximumClients) : record
        }
        if let forgotten { detach(forgotten.mirrors) }
    }

    /// Forgets clients that stayed away.
    func tick(now: ContinuousClock.Instant) {
        let expired = core.withLock { core in
            let expired = core.records.filter { $0.value.isExpired(at: now, after: configuration.clientRetention) }
            for identity in expired.keys { core.records[identity] = nil }
            return expired.values.flatMap(\.mirrors)
        }
        detach(expired)
    }

    /// Forgets clients that stay away when their time is over. On the reactor's thread.
    func watchAbsence(on reactor: Reactor) {
        let due = core.withLock { core -> ContinuousClock.Instant? in
            guard !core.isWatchingAbsence, let first = core.records.values.compactMap(\.absentSince).min() else {
                return nil
            }
            core.isWatchingAbsence = true
            return first + configuration.clientRetention
        }
        guard let due else { return }
        _ = reactor.at(due) { [self] in
            core.withLock { $0.isWatchingAbsence = false }
            tick(now: .now)
            watchAbsence(on: reactor)
        }
    }

    /// Shows nothing more to these.
    func detach(_ mirrors: [Mirror]) {
        guard !mirrors.isEmpty else { return }
        // Parentless: it lives for one hop to the main actor, and nothing waits for it.
        Task { @MainActor [registry] in
            for mirror in mirrors { registry.existingHost(mirror.key)?.detach(mirror) }
        }
    }

    /// Says goodbye behind what clients have still to be told, and waits for that to be read, for `limit` at most.
    func stop(within limit: Duration) async {
        let peers = core.withLock { core in
            core.isStopping = true
            return Array(core.peers.values)
        }
        guard !peers.isEmpty else { return }
        for peer in peers { peer.stop() }
        await allLeft.wait(atMost: limit)
    }
}
