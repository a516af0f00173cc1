import LatticeCore
import LatticeSession
import LatticeWire
import Synchronization

/// One connection of a client.
final class ClientPeer: SessionHandler {
    private struct Core {
        var session: Session?
        var record: ClientRecord?
        var mirrors: [UInt32: Mirror] = [:]
    }

    private let clients: ClientRegistry
    private let core = Mutex(Core())

    init(clients: ClientRegistry) {
        self.clients = clients
    }

    func start(_ session: Session) {
        core.withLock { $0.session = session }
        session.start()
    }

    func stop() {
        core.withLock(\.session)?.end(.shuttingDown, reason: "the coordinator stopped")
    }

    func tick(now: ContinuousClock.Instant) {
        core.withLock(\.session)?.tick(now: now)
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        let record = clients.record(of: peer.identity)
        record.connected()
        core.withLock { $0.record = record }
    }

    func session(
        _ session: Session,
        received kind: MessageKind,
        on channel: UInt32,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        switch kind {
        case .open:
            open(try Open(decoding: body), on: channel, session)
        case .event, .cancel:
            // A channel that was refused: what was sent to it before the refusal arrived is dropped with it.
            try core.withLock({ $0.mirrors[channel] })?.receive(kind, body)
        case .close:
            close(channel, session)
        default:
            throw .unexpected(kind, at: "a coordinator, sent by a client")
        }
    }

    private func open(_ open: Open, on number: UInt32, _ session: Session) {
        // View models live on the main actor. Parentless: one hop, and nothing waits for it but the client.
        Task { @MainActor [self] in
            do throws(OpenRefusal) {
                let (host, key) = try find(open)
                try await whenOpened(host)
                guard let record = core.withLock(\.record) else { return }
                let mirror = record.mirror(key) { Mirror(key: key) { host.forward($0) } }
                host.detach(mirror)
                core.withLock { $0.mirrors[number] = mirror }
                mirror.link(session, number: number)
                host.attach(mirror)
            } catch {
                session.sendControl(error.message, on: number)
            }
        }
    }

    @MainActor private func find(_ open: Open) throws(OpenRefusal) -> (any FeatureHosting, FeatureRegistry.Key) {
        let registry = clients.registry
        guard let schema = registry.schema(of: open.feature) else {
            let error = CoordinatorError.notHosted(open.feature, hosted: registry.identifiers)
            throw OpenRefusal(code: .unknownFeature, reason: error.message)
        }
        guard schema == Int(open.schema) else {
            let reason =
                "the coordinator has schema \(schema) of \"\(open.feature)\", the client \(open.schema);"
                + " build both from the same source"
            throw OpenRefusal(code: .schema, reason: reason)
        }
        do throws(CoordinatorError) {
            let host = try registry.host(open.feature, open.instance)
            return (host, FeatureRegistry.Key(feature: open.feature, instance: open.instance))
        } catch {
            throw OpenRefusal(code: .tooMany, reason: error.message)
        }
    }

    @MainActor private func whenOpened(_ host: any FeatureHosting) async throws(OpenRefusal) {
        do {
            try await host.whenOpened()
        } catch {
            throw OpenRefusal(code: .unknownFeature, reason: "no worker serves it: \(error)")
        }
    }

    private func close(_ number: UInt32, _ session: Session) {
        let (mirror, record) = core.withLock { ($0.mirrors.removeValue(forKey: number), $0.record) }
        session.sendControl(Closed(code: .requested, reason: ""), on: number)
        guard let mirror else { return }
        mirror.unlink()
        record?.remove(mirror)
        // Parentless: one hop to the main actor.
        Task { @MainActor [clients] in clients.registry.existingHost(mirror.key)?.detach(mirror) }
    }

    func sessionDrained(_ session: Session) {
        for mirror in core.withLock({ Array($0.mirrors.values) }) { mirror.drained() }
    }

    func sessionClosed(_ session: Session, error: SessionError?) {
        core.withLock(\.record)?.disconnected(at: .now)
        clients.left(self)
    }
}

/// Why a client's `open` is answered with a refusal.
private struct OpenRefusal: Error {
    let message: OpenRefused

    init(code: OpenRefusalCode, reason: String) {
        message = OpenRefused(code: code, reason: reason)
    }
}
