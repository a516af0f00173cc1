import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// One connection of a client.
final class ClientConnection: SessionHandler {
    private struct Core {
        var session: Session?
        var client: ClientSession?
        /// Channels whose `open` is on its way to the main actor or waits for a worker, and were not closed meanwhile.
        var opening: [UInt32: Task<Void, Never>] = [:]
    }

    /// Which of those that the coordinator took in; later ones have higher numbers.
    private let number: UInt64
    private let clients: ClientRegistry
    private let core = Locked(Core())
    private let asking = ConcurrencyLimiter(maximum: maximumQuestions)

    /// Questions of one client that are being answered, of all its features: fewer than one instance answers, so that
    /// others have room.
    static let maximumQuestions = 64

    init(_ number: UInt64, clients: ClientRegistry) {
        self.number = number
        self.clients = clients
    }

    func start(_ session: Session) {
        core.withLock { $0.session = session }
        session.start()
    }

    /// nil before it started and after it ended.
    var session: Session? { core.withLock(\.session) }

    func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        let (client, over) = clients.client(peer.identity, on: session, by: number)
        core.withLock { $0.client = client }
        over?.abort(.replaced)
        let title = "client (process \(peer.processID))"
        clients.node.connect(session, to: peer, title: title, questions: self)
    }

    /// Says goodbye once the channels have told what they have to tell. A newer state may wait for room behind an older
    /// one.
    func endWhenTold() {
        let channels = core.withLock(\.client)?.channels ?? []
        let untold = Locked(channels.count)
        guard !channels.isEmpty else { return end() }
        for channel in channels {
            // Weak: of a session that ends before, this is kept.
            channel.server.whenTold { [weak self] in
                let isLast = untold.withLock { untold in
                    untold -= 1
                    return untold == 0
                }
                if isLast { self?.end() }
            }
        }
    }

    /// Says goodbye behind what was told.
    func end() {
        session?.end(.shuttingDown, reason: "the coordinator stopped")
    }

    func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        throw .unexpected(kind, at: "a coordinator, sent by a client")
    }

    // MARK: Channels

    func session(_ session: Session, opens number: UInt32, _ open: Open) {
        do throws(OpenRefused) {
            // Of a session that was replaced nothing counts any more.
            guard let client = core.withLock(\.client), client.isConnected(by: session) else { return }
            let key = try clients.registry.key(of: open)
            let (channel, over) = try client.channel(number, of: key, continuing: open.record)
            // What they have running goes on; nobody asks for it any more.
            clients.leaveBehind(over, of: client)
            channel.link(to: session, by: open)
            core.withLock { core in
                // View models live on the main actor. Parentless: it ends with the connection.
                core.opening[number] = Task { @MainActor [self] in
                    await serve(channel, key, client, session)
                    client.opened()
                }
            }
        } catch {
            session.sendControl(error, on: number)
        }
    }

    @MainActor private func serve(
        _ channel: ChannelServer,
        _ key: FeatureRegistry.Key,
        _ client: ClientSession,
        _ session: Session
    ) async {
        guard channel.isOpening(on: session) else { return forget(channel) }
        do {
            let host = try clients.registry.host(key.feature, key.instance, for: client.sender)
            host.beginUse()
            defer { host.endUse() }
            // It may be shown what came before it was away. Refused, it is not.
            host.detach(channel)
            _ = try await host.whenOpened(within: nil)
            let problem = await host.prepareSharing()
            guard clients.registry.existingHost(key) === host else {
                throw OpenRefused(
                    code: .unavailable,
                    reason: "the feature was let go of while it was opened; try again"
                )
            }
            if let problem { throw OpenRefused(code: .undecodableState, reason: problem) }
            guard core.withLock({ $0.opening.removeValue(forKey: channel.number) }) != nil,
                channel.isOpening(on: session)
            else { return }
            host.attach(channel, of: client.sender, on: session)
        } catch {
            // Cancelled: the client closed the channel or is gone, and wants no answer.
            guard !Task.isCancelled else { return }
            forget(channel)
            channel.refuse(OpenRefused(error), on: session)
            if channel.isUntouched { client.remove(channel.number, servedBy: channel) }
        }
    }

    /// The channel is not being opened here any more.
    private func forget(_ channel: ChannelServer) {
        core.withLock { $0.opening[channel.number] = nil }
    }

    func session(_ session: Session, left number: UInt32) {
        let client = core.withLock { core in
            core.opening.removeValue(forKey: number)?.cancel()
            return core.client
        }
        // Else a newer session of the client has the channel.
        guard let client, client.isConnected(by: session), let channel = client.remove(number) else { return }
        clients.leaveBehind([channel], of: client)
    }

    func sessionClosed(_ session: Session, error: SessionError?) {
        let client = core.withLock { core in
            for task in core.opening.values { task.cancel() }
            core.opening = [:]
            core.session = nil
            return core.client
        }
        if client != nil, let error, error.code == .overloaded { clients.note(error, of: session) }
        client?.disconnected(session, at: .now)
        clients.left(self, client)
        clients.watchAbsence(on: session.eventLoop)
    }
}

extension ClientConnection: QuestionHost {
    /// Asks the worker that serves what the channel shows.
    func begin(
        _ question: ChannelQuestion,
        _ terms: CallContext,
        _ answer: IncomingCall
    ) -> (any RunningCall)? {
        guard let channel = core.withLock(\.client)?.channel(question.channel) else {
            answer.end(.noChannel(question.channel))
            return nil
        }
        guard asking.begin() else {
            answer.end(.tooManyQuestions(Self.maximumQuestions))
            return nil
        }
        return QuestionRun(answer) { [registry = clients.registry, asking] in
            defer { asking.end() }
            guard let host = await registry.existingHost(channel.key) else {
                // What the client has opened may be on its way to be made.
                guard channel.server.isClosed else { return .noChannel(question.channel) }
                return ActorReply(call: 0, code: .refused, reason: "the coordinator has let go of this instance")
            }
            return await host.ask(question.question, terms)
        }
    }
}

/// Hears nothing of a connection that is not wanted.
final class TurnedAwayConnection: SessionHandler {
    func sessionOpened(_ session: Session, peer: Handshake.Peer) {}

    func session(_ session: Session, opens channel: UInt32, _ open: Open) {}

    func session(_ session: Session, received kind: MessageKind, body: UnsafeRawBufferPointer) {}

    func sessionClosed(_ session: Session, error: SessionError?) {}
}

/// Why a client's `open` is answered with a refusal.
extension OpenRefused: Error {
    init(_ error: any Error) {
        switch error {
        case let refused as OpenRefused: self = refused
        case let end as ChannelEnd:
            // The worker may have refused the channel for lack of room; else there is none that could.
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
