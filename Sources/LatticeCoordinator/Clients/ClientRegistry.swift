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

        /// Keeps the number of clients that are waited for in bounds.
        mutating func forgetLongestAbsent() -> ClientRecord? {
            let absent = records.compactMap { identity, record in
                record.absentSince.map { (identity: identity, since: $0) }
            }
            guard absent.count > ClientRegistry.maximumClients, let oldest = absent.min(by: { $0.since < $1.since })
            else { return nil }
            return records.removeValue(forKey: oldest.identity)
        }
    }

    /// Far more programs than one person runs; each costs a descriptor.
    static let maximumClients = 1024

    let registry: FeatureRegistry
    private let configuration: CoordinatorConfiguration
    private let acceptance: Handshake.Acceptance
    private let core = Mutex(Core())

    init(
        registry: FeatureRegistry,
        features: [any HostedFeature.Type],
        incarnation: UInt64,
        configuration: CoordinatorConfiguration
    ) {
        self.registry = registry
        self.configuration = configuration
        acceptance = Handshake.Acceptance(
            role: .coordinator,
            allowedRoles: [.client, .tool],
            // The kernel has told that it is the same user; nothing more is asked.
            token: nil,
            incarnation: incarnation,
            processID: UInt32(ProcessIdentity.own),
            features: features.map { feature in
                FeatureAdvertisement(identifier: feature.identifier, schema: UInt32(feature.schema), level: .view)
            }
        )
    }

    func accept(_ connection: any Connection) {
        let peer = ClientPeer(clients: self)
        let session = Session(
            over: connection,
            as: .acceptor(acceptance),
            liveness: (configuration.heartbeatInterval, configuration.heartbeatLimit),
            handler: peer
        )
        let isTaken = core.withLock { core in
            guard core.peers.count < Self.maximumClients else { return false }
            core.peers[ObjectIdentifier(peer)] = peer
            return true
        }
        guard isTaken else {
            configuration.logger.warning("a client was turned away: \(Self.maximumClients) are connected")
            return connection.close()
        }
        peer.start(session)
    }

    /// The record of a client, by the identity that it chose; kept from an earlier connection if there was one.
    func record(of identity: [UInt8]) -> ClientRecord {
        core.withLock { core in
            if !identity.isEmpty, let record = core.records[identity] { return record }
            let record = ClientRecord()
            if !identity.isEmpty { core.records[identity] = record }
            return record
        }
    }

    /// Clients that are known, and those among them that are away.
    var recordCount: Int { core.withLock(\.records.count) }
    var absentCount: Int { core.withLock { core in core.records.values.count { $0.absentSince != nil } } }

    func left(_ peer: ClientPeer, _ record: ClientRecord?) {
        let forgotten = core.withLock { core in
            core.peers[ObjectIdentifier(peer)] = nil
            return core.records.values.contains { $0 === record } ? core.forgetLongestAbsent() : record
        }
        if let forgotten { detach(forgotten.mirrors) }
    }

    /// Forgets clients that stayed away; called a few times a second.
    func tick(now: ContinuousClock.Instant) {
        let (peers, expired) = core.withLock { core in
            let expired = core.records.filter { $0.value.isExpired(at: now, after: configuration.clientRetention) }
            for identity in expired.keys { core.records[identity] = nil }
            return (Array(core.peers.values), expired.values.flatMap(\.mirrors))
        }
        for peer in peers { peer.tick(now: now) }
        detach(expired)
    }

    /// Shows nothing more to these.
    func detach(_ mirrors: [Mirror]) {
        guard !mirrors.isEmpty else { return }
        // Parentless: it lives for one hop to the main actor, and nothing waits for it.
        Task { @MainActor [registry] in
            for mirror in mirrors { registry.existingHost(mirror.key)?.detach(mirror) }
        }
    }

    func stop() {
        for peer in core.withLock({ Array($0.peers.values) }) { peer.stop() }
    }
}
