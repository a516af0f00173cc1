import LatticeCalls
import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The coordinator's end of one connection of a client.
final class ClientConnection: SessionHandler {
    /// The process at the other end.
    private enum Party {
        /// The handshake is not complete.
        case unknown
        /// A client.
        case client(ClientSession, SenderFacts)
        /// A tool, which looks into the coordinator and opens nothing.
        case tool(ConnectedTool)
    }

    private struct Core {
        var session: Session?
        var party = Party.unknown
        /// The tasks that answer an `open`, by channel. A task waits for a worker. It is removed when the channel is
        /// closed.
        var opening: [UInt32: (channel: ChannelServer, task: Task<Void, Never>)] = [:]
        /// The channels that the client may open, after the program was asked. A question on another one is refused.
        /// The number alone does not identify a channel, because the client may use it again.
        var permitted: [UInt32: ChannelServer] = [:]
        /// The client in the features that were informed that it is there, by channel.
        var present: [UInt32: (announcer: PresenceAnnouncer, client: OpeningClient)] = [:]

        var client: ClientSession? { if case .client(let client, _) = party { client } else { nil } }
        var facts: SenderFacts? { if case .client(_, let facts) = party { facts } else { nil } }
    }

    /// The number of the connection. Later connections have higher numbers.
    private let number: UInt64
    private let clients: ClientRegistry
    private let core = Locked(Core())
    private let asking = ConcurrencyLimiter(maximum: maximumQuestions)

    /// The maximum number of questions of one client to all features that are being answered at a time. It is lower
    /// than the number that one instance answers, so that other clients have room.
    static let maximumQuestions = 64

    init(_ number: UInt64, clients: ClientRegistry) {
        self.number = number
        self.clients = clients
    }

    func start(_ session: Session) {
        core.withLock { $0.session = session }
        session.start()
    }

    /// The session, or nil before it started and after it ended.
    var session: Session? { core.withLock(\.session) }

    /// The client, or nil before its handshake, after the end of the connection, and after a newer connection of the
    /// client has replaced this one.
    var connectedClient: ClientSession? {
        let (client, session) = core.withLock { ($0.client, $0.session) }
        guard let client, let session, client.isConnected(by: session) else { return nil }
        return client
    }

    /// The tool at the other end, or nil if it is none or its session has ended.
    var connectedTool: ConnectedTool? {
        core.withLock { core in
            guard core.session != nil, case .tool(let tool) = core.party else { return nil }
            return tool
        }
    }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        guard peer.role != .tool else {
            // It is no client, and no node whose actors can be called.
            let tool = ConnectedTool(session)
            return core.withLock { $0.party = .tool(tool) }
        }
        let facts = SenderFacts(session.connection.peer)
        let (client, over) = clients.client(peer.identity, on: session, by: number, facts)
        core.withLock { $0.party = .client(client, facts) }
        clients.events.emit(.sessionOpened, .sessionOpened(.client(RuntimeEvent.Client(client.sender, facts))))
        over?.abort(.replaced)
        let title = "client (process \(peer.processID))"
        clients.node.connect(session, to: peer, title: title, questions: self)
    }

    /// Says goodbye after all channels have sent what is due. A newer state may have to wait until an older one is
    /// written.
    func endAfterPublishing() {
        session?.eventLoop.execute { [self] in endAfterPublishingOnLoop() }
    }

    private func endAfterPublishingOnLoop() {
        let channels = core.withLock(\.client)?.channels ?? []
        let unfinished = Locked(channels.count)
        guard !channels.isEmpty else { return end() }
        for channel in channels {
            // The reference is weak because a session that ends earlier would keep this closure.
            channel.server.whenPublished { [weak self] in
                let isLast = unfinished.withLock { unfinished in
                    unfinished -= 1
                    return unfinished == 0
                }
                if isLast { self?.end() }
            }
        }
    }

    /// Says goodbye after the messages that were sent before.
    func end() {
        session?.end(.shuttingDown, reason: "the coordinator stopped")
    }

    func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        let sender = controlSender(on: session)
        switch kind {
        case .describe: try clients.control.receive(try DescribeMessage(decoding: body), from: sender)
        case .operate: clients.control.receive(try OperateMessage(decoding: body), from: sender)
        default: throw .unexpected(kind, at: "a coordinator, sent by a client")
        }
    }

    /// The process of this connection, as it asks to look into the coordinator.
    private func controlSender(on session: Session) -> ControlServer.Sender {
        ControlServer.Sender(clients: clients, session: session, connection: number, isTool: connectedTool != nil)
    }

    func sessionDrained(_ session: Session) {
        clients.control.drained(number)
    }

    // MARK: Channels

    func session(_ session: Session, opens number: UInt32, _ open: Open) {
        do throws(OpenRefused) {
            guard connectedTool == nil else { throw OpenRefused.toTool }
            // Messages of a session that was replaced are ignored.
            let (known, facts) = core.withLock { ($0.client, $0.facts) }
            guard let client = known, let facts, client.isConnected(by: session) else { return }
            let key = try clients.registry.key(of: open)
            let (channel, over) = try client.channel(number, of: key, continuing: open.record)
            // Events of the replaced channels continue to run, but the client no longer waits for them.
            clients.abandon(over, of: client)
            channel.link(to: session, by: open)
            let opening = OpeningClient(
                client.sender,
                connection: self.number,
                facts,
                receivesCauses: open.wantsCauses
            )
            core.withLock { core in
                core.permitted[number] = nil
                // The task is unstructured and ends with the connection.
                let task = Task { [self] in
                    await serve(channel, key, client, opening, session)
                    client.opened()
                }
                core.opening[number] = (channel, task)
            }
        } catch {
            session.sendControl(error, on: number)
        }
    }

    private func serve(
        _ channel: ChannelServer,
        _ key: FeatureRegistry.Key,
        _ client: ClientSession,
        _ opening: OpeningClient,
        _ session: Session
    ) async {
        // The client may have closed the channel already.
        guard !Task.isCancelled else { return }
        do {
            var opening = try permit(opening, key, on: channel, session)
            // Names of events say who sends them, as a description does.
            opening.receivesCauses = opening.receivesCauses && clients.control.mayLook(controlSender(on: session))
            let host = try await clients.registry.host(key.feature, key.instance, for: client.sender)
            defer { host.endUse() }
            // The worker recognizes the events of the program by their sender, which appears in the IDs of events.
            guard client.sender != host.programSender else { throw OpenRefused.nameOfProgram }
            // The client may get what it was sent before it was away. If the open is refused, it does not.
            host.detach(channel, openedAgainOn: session, isRefused: false)
            _ = try await host.whenOpened(within: nil)
            // First, because the client may use the number again once it has the answer.
            forget(channel)
            switch await host.attach(channel, of: opening, on: session) {
            case .attached: announce(opening, on: channel, at: host, session)
            case .left: break
            case .ended: throw OpenRefused.instanceClosed
            case .unavailable(let reason): throw OpenRefused(code: .undecodableState, reason: reason)
            }
        } catch {
            // The task was cancelled because the client closed the channel or is gone. It expects no answer.
            guard !Task.isCancelled else { return }
            forget(channel)
            // The client may have been permitted before it was away.
            clients.registry.existingHost(key)?.detach(channel, openedAgainOn: session, isRefused: true)
            session.eventLoop.execute {
                channel.refuse(OpenRefused(error), on: session)
                if channel.isUntouched { client.remove(channel.number, servedBy: channel) }
            }
        }
    }

    /// Informs the feature of an instance that a client is there, if the feature asks for it.
    private func announce(
        _ client: OpeningClient,
        on channel: ChannelServer,
        at host: any FeatureHosting,
        _ session: Session
    ) {
        guard let announcer = host.presence else { return }
        session.eventLoop.execute { [self] in
            let (isThere, before) = core.withLock { core in
                // The connection may have ended, and the client may have closed the channel.
                guard core.session != nil, core.client?.channel(channel.number)?.server === channel else {
                    return (false, nil as (announcer: PresenceAnnouncer, client: OpeningClient)?)
                }
                return (true, core.present.updateValue((announcer, client), forKey: channel.number))
            }
            guard isThere else { return }
            // The coordinator had closed the instance that the client showed on this channel.
            if let before { before.announcer.left(before.client, isLost: false) }
            announcer.joined(client)
        }
    }

    /// Asks the program what a client may do with an instance.
    ///
    /// - Returns: The client, with the answer.
    private func permit(
        _ client: OpeningClient,
        _ key: FeatureRegistry.Key,
        on channel: ChannelServer,
        _ session: Session
    ) throws(OpenRefused) -> OpeningClient {
        guard let authorization = clients.configuration.authorization else { return client }
        var client = client
        switch authorization(AccessRequest(client: client.described, feature: key.feature, instance: key.instance)) {
        case .full: break
        case .readOnly(let reason): client.rejection = reason
        case .refused(let reason): throw OpenRefused(code: .refused, reason: reason)
        }
        core.withLock { core in
            // Not if the client has closed the channel meanwhile.
            if core.client?.channel(channel.number)?.server === channel { core.permitted[channel.number] = channel }
        }
        return client
    }

    /// Returns the channel with a number, if the client may ask questions on it.
    private func askable(_ number: UInt32) -> ClientSession.Channel? {
        let (client, permitted) = core.withLock { ($0.client, $0.permitted[number]) }
        guard let channel = client?.channel(number) else { return nil }
        return clients.configuration.authorization == nil || channel.server === permitted ? channel : nil
    }

    /// Removes the task that opens a channel.
    private func forget(_ channel: ChannelServer) {
        core.withLock { core in
            // The client may have opened another channel with the same number.
            if core.opening[channel.number]?.channel === channel { core.opening[channel.number] = nil }
        }
    }

    func session(_ session: Session, left number: UInt32) {
        let (client, present) = core.withLock { core in
            core.opening.removeValue(forKey: number)?.task.cancel()
            core.permitted[number] = nil
            return (core.client, core.present.removeValue(forKey: number))
        }
        if let present { present.announcer.left(present.client, isLost: false) }
        // If this is not the newest session, a newer one owns the channel.
        guard let client, client.isConnected(by: session), let channel = client.remove(number) else { return }
        clients.abandon([channel], of: client)
    }

    func sessionClosed(_ session: Session, error: SessionError?) {
        let (client, facts, present) = core.withLock { core in
            for opening in core.opening.values { opening.task.cancel() }
            core.opening = [:]
            core.permitted = [:]
            core.session = nil
            return (core.client, core.facts, exchange(&core.present, with: [:]))
        }
        for (_, present) in present.sorted(by: { $0.key < $1.key }) {
            present.announcer.left(present.client, isLost: error != nil || !session.hasEndedWithGoodbye)
        }
        if let client, let facts {
            let described = RuntimeEvent.Client(client.sender, facts)
            let problem = error.map { RuntimeEvent.SessionProblem($0) }
            client.disconnected(session, at: .now)
            clients.events.emit(.sessionEnded, .sessionEnded(.client(described), problem: problem))
        }
        clients.control.ended(number)
        clients.left(self, client)
        clients.watchAbsence(on: session.eventLoop)
    }
}

extension ClientConnection: QuestionHost {
    /// Forwards a question to the worker that serves the channel's instance.
    func begin(
        _ question: [UInt8],
        on number: UInt32,
        _ callContext: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard let channel = askable(number) else {
            answer.end(.noChannel(number))
            return nil
        }
        guard asking.begin() else {
            answer.end(.tooManyQuestions(Self.maximumQuestions))
            return nil
        }
        return QuestionRun(answer) { [registry = clients.registry, asking] in
            defer { asking.end() }
            guard let host = registry.existingHost(channel.key) else {
                // The instance that the client opens may not have been created yet.
                guard channel.server.isClosed else { return .noChannel(number) }
                return .failure(.refused, "The coordinator has closed this instance.")
            }
            return await host.ask(question, callContext)
        }
    }
}

/// The handler of a connection that is refused. It ignores all messages.
final class RejectedConnection: SessionHandler {
    func sessionOpened(_ session: Session, peer: Handshake.Peer) {}

    func session(_ session: Session, opens channel: UInt32, _ open: Open) {}

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) {}

    func sessionClosed(_ session: Session, error: SessionError?) {}
}

/// Lets a refusal of `open` be thrown as an error.
extension OpenRefused: Error {
    fileprivate static var toTool: OpenRefused {
        OpenRefused(code: .role, reason: "A tool opens no features. Connect as a client to open one.")
    }

    fileprivate static var nameOfProgram: OpenRefused {
        OpenRefused(
            code: .refused,
            reason: "The client has the identity of the coordinator's own program. Connect with 16 random bytes."
        )
    }

    fileprivate static var instanceClosed: OpenRefused {
        OpenRefused(
            code: .unavailable,
            reason: "The instance was closed while the channel was being opened. Try again."
        )
    }

    init(_ error: any Error) {
        switch error {
        case let refused as OpenRefused: self = refused
        case let end as ChannelEnd:
            // The worker may have refused the channel because it has too many. Otherwise no worker can serve it.
            self.init(code: end.refusal == .tooMany ? .tooMany : .unavailable, reason: end.reason)
        case let error as CoordinatorError:
            let code: OpenRefusalCode =
                switch error.code {
                case .tooMany: .tooMany
                case .notHosted, .invalid: .unknownFeature
                default: .unavailable
                }
            self.init(code: code, reason: error.message)
        default: self.init(code: .unavailable, reason: "\(error)")
        }
    }
}
