import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire

/// One connection of a client.
final class ClientPeer: SessionHandler {
    private struct Core {
        var session: Session?
        var record: ClientRecord?
        var mirrors: [UInt32: Mirror] = [:]
        /// Channels whose `open` is on its way to the main actor or waits for a worker, and were not closed meanwhile.
        var opening: [UInt32: Task<Void, Never>] = [:]
    }

    private let clients: ClientRegistry
    private let core = Locked(Core())

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

    /// Others need the place, and nothing came from this one.
    func crowdOut() {
        core.withLock(\.session)?.abort(.busy("no hello came before others needed the place; try again"))
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        let record = clients.record(of: peer.identity, connectedBy: session)
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
        case .event, .cancel, .origin:
            // A channel that was refused: what was sent to it before the refusal arrived is dropped with it.
            try core.withLock({ $0.mirrors[channel] })?.receive(kind, body, from: session)
        case .close:
            _ = try Close(decoding: body)
            close(channel, session)
        default:
            throw .unexpected(kind, at: "a coordinator, sent by a client")
        }
    }

    private func open(_ open: Open, on number: UInt32, _ session: Session) {
        let refusal = core.withLock { core -> OpenRefusal? in
            guard core.opening.count < ClientRecord.maximumChannels else { return .tooManyChannels }
            // View models live on the main actor. Parentless: it ends with the connection.
            core.opening[number] = Task { @MainActor [self] in await serve(open, on: number, session) }
            return nil
        }
        if let refusal { session.sendControl(refusal.message, on: number) }
    }

    @MainActor private func serve(_ open: Open, on number: UInt32, _ session: Session) async {
        do throws(OpenRefusal) {
            let (host, key) = try find(open)
            try await whenOpened(host)
            if let problem = host.prepareSharing() { throw OpenRefusal(code: .undecodableState, reason: problem) }
            guard let mirror = try link(number, key, open.record, host, session) else { return }
            host.detach(mirror)
            host.attach(mirror)
        } catch {
            // Cancelled: the client closed the channel or is gone, and wants no answer.
            guard !Task.isCancelled else { return }
            core.withLock { $0.opening[number] = nil }
            session.sendControl(error.message, on: number)
        }
    }

    /// The mirror of the channel, unless the client closed it or is gone.
    @MainActor private func link(
        _ number: UInt32,
        _ key: FeatureRegistry.Key,
        _ record: UInt64?,
        _ host: any FeatureHosting,
        _ session: Session
    ) throws(OpenRefusal) -> Mirror? {
        let found = try core.withLock { core throws(OpenRefusal) -> (mirror: Mirror, replaced: Mirror?)? in
            guard core.opening.removeValue(forKey: number) != nil, let client = core.record,
                client.isConnected(by: session)
            else { return nil }
            let found = client.mirror(number, of: key, continuing: record) { sender, name in
                Mirror(key: key, record: name, sender: sender, channel: number, forward: host.forward)
            }
            guard let found else { throw OpenRefusal.tooManyChannels }
            core.mirrors[number] = found.mirror
            found.mirror.link(session, number: number)
            return found
        }
        // What it has running goes on; nobody asks for it any more.
        if let replaced = found?.replaced { clients.registry.existingHost(replaced.key)?.detach(replaced) }
        return found?.mirror
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
            throw OpenRefusal(error)
        }
    }

    @MainActor private func whenOpened(_ host: any FeatureHosting) async throws(OpenRefusal) {
        do {
            try await host.whenOpened()
        } catch let end as ChannelEnd {
            // The worker may have refused the channel for lack of room; else there is none that could.
            throw OpenRefusal(code: end.refusal == .tooMany ? .tooMany : .unavailable, reason: end.rejection.reason)
        } catch {
            throw OpenRefusal(code: .unavailable, reason: "\(error)")
        }
    }

    private func close(_ number: UInt32, _ session: Session) {
        let (mirror, record) = core.withLock { core in
            core.opening.removeValue(forKey: number)?.cancel()
            return (core.mirrors.removeValue(forKey: number), core.record)
        }
        // A newer session of the client has the channel.
        guard record?.isConnected(by: session) != false else { return }
        mirror?.close()
        session.sendControl(Closed(code: .requested, reason: ""), on: number)
        guard let mirror else { return }
        record?.remove(number)
        clients.detach([mirror])
    }

    func sessionDrained(_ session: Session) {
        for mirror in core.withLock({ Array($0.mirrors.values) }) { mirror.drained() }
    }

    func sessionClosed(_ session: Session, error: SessionError?) {
        let record = core.withLock { core in
            for task in core.opening.values { task.cancel() }
            core.opening = [:]
            core.session = nil
            return core.record
        }
        record?.disconnected(session, at: .now)
        clients.left(self, record)
        clients.watchAbsence(on: session.connection.eventLoop)
    }
}

/// Why a client's `open` is answered with a refusal.
private struct OpenRefusal: Error {
    let message: OpenRefused

    init(code: OpenRefusalCode, reason: String) {
        message = OpenRefused(code: code, reason: reason)
    }

    init(_ error: CoordinatorError) {
        let code: OpenRefusalCode =
            switch error.code {
            case .tooMany: .tooMany
            case .notHosted, .invalid: .unknownFeature
            default: .unavailable
            }
        self.init(code: code, reason: error.message)
    }

    static var tooManyChannels: OpenRefusal {
        let reason = "a client has at most \(ClientRecord.maximumChannels) channels; close some"
        return OpenRefusal(code: .tooMany, reason: reason)
    }
}
