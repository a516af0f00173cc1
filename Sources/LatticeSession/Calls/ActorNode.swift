import LatticeConcurrency
import LatticeWire

/// This process, as far as calls are concerned: what calls it makes, takes, and passes on, on which sessions.
///
/// A worker, a coordinator and a client each have one, and an actor system is made with it. The coordinator's knows all
/// others: calls between two of them, and what names they serve, go through it. Who waits for which answer is decided
/// by ``CallTable``, who serves which name by ``NameTable``.
public final class ActorNode: Sendable {
    struct Core {
        var table: CallTable<PendingCall, any RunningCall>
        var names = NameTable<NameWait>()
        var ends = EndTable<IncomingCall>()
        var links = SessionMap<CallSession>()
        var owners = NodeOwners()
        var host: (any CallHost)?
        /// What this node serves: the actors' numbers.
        var ownNames: [String: UInt64] = [:]
        /// Calls of actors that run here.
        var running = 0
        /// Called when none runs any more; from then on none begins. nil: calls are taken.
        var onIdle: (@Sendable () -> Void)?
        var hasEnded = false
        /// Why there will be no session with the node that knows all any more; nil: there is one, or may be.
        var lostHub: String?
        /// Is told what the log of the process is to say.
        var onNote: (@Sendable (String) -> Void)?
        /// Who waits for a session with the node that knows all.
        var uplinkWaiters: [OneShot<Void>] = []

        func link(over session: Session) -> CallSession? { links.values.first { $0.session === session } }
    }

    /// How long a call that was cancelled may take to say how it ends.
    package static let cancelTimeout: Duration = .seconds(1)

    package let id: NodeID
    /// Whether it is the one that knows all others.
    package let isHub: Bool
    /// This process, for people.
    package let title: String
    /// Which life of a worker it is; 0 for others.
    package let incarnation: UInt64
    let cancelTimeout: Duration
    let core: Locked<Core>

    package init(
        isHub: Bool,
        title: String,
        incarnation: UInt64 = 0,
        id: NodeID = .random(),
        cancelTimeout: Duration = cancelTimeout
    ) {
        self.id = id
        self.cancelTimeout = cancelTimeout
        self.isHub = isHub
        self.title = title
        self.incarnation = incarnation
        core = Locked(Core(table: CallTable(own: id)))
    }

    /// Who runs the calls of this node's actors.
    package func connect(_ host: any CallHost) {
        core.withLock { $0.host = host }
    }

    /// Who is told that a limit has been reached, in a sentence for the log. Any thread.
    package func onNote(_ called: @escaping @Sendable (String) -> Void) {
        core.withLock { $0.onNote = called }
    }

    package func note(_ sentence: String) {
        core.withLock(\.onNote)?(sentence)
    }

    /// Answers that came when nobody waited for them any more.
    package var lateReplies: Int { core.withLock(\.table.lateReplies) }

    // MARK: Ends

    /// Nothing more is done here: what the host keeps for others it keeps for nobody.
    package func end() {
        let (host, waiters) = core.withLock { core in
            core.hasEnded = true
            defer { core.uplinkWaiters = [] }
            return (core.host, core.uplinkWaiters)
        }
        for waiter in waiters { waiter.complete() }
        host?.nodeEnded()
    }

    /// Whether it is at its end.
    package var hasEnded: Bool { core.withLock(\.hasEnded) }

    /// Whether it can reach others at the moment.
    package var isConnected: Bool { core.withLock { isHub || $0.table.uplink != nil } }

    /// Why this process will not reach others any more; nil: it does, or may.
    package var lostHub: String? { core.withLock(\.lostHub) }

    /// There will be no session with the node that knows all any more: what waits for one, and what is asked from now
    /// on, ends with this reason.
    package func loseHub(because reason: String) {
        let waiters = core.withLock { core in
            core.lostHub = reason
            defer { core.uplinkWaiters = [] }
            return core.uplinkWaiters
        }
        for waiter in waiters { waiter.complete() }
    }

    // MARK: Draining

    /// Takes no calls any more.
    ///
    /// - Parameter onIdle: Called when those that run have ended, on any thread.
    package func drain(_ onIdle: @escaping @Sendable () -> Void) {
        core.withLock { $0.onIdle = onIdle }
    }

    /// Whether no call runs here, and no answer waits for room on its way.
    package var isIdle: Bool {
        let (isIdle, links) = core.withLock { ($0.running == 0, $0.links.values.map(\.self)) }
        return isIdle && links.allSatisfy(\.isEmpty)
    }

    /// Has what runs here for others end, as this process is about to.
    package func cancelRunning() {
        for run in core.withLock(\.table.runs) { run.leave() }
    }

    // MARK: Sessions

    /// A session is open whose other side may be a node. On the event loop.
    ///
    /// - Parameters:
    ///   - title: The other side, for people.
    ///   - isSupervised: Whether `lost` follows its end.
    ///   - isReserve: Whether it is a worker that stands by: what it serves is found from `use` on.
    ///   - questions: Who answers for the channels of the session. Kept until it ends.
    package func connect(
        _ session: Session,
        to peer: Handshake.Peer,
        title: String,
        isSupervised: Bool = false,
        isReserve: Bool = false,
        questions: (any QuestionHost)? = nil
    ) {
        guard let node = peer.node.flatMap({ NodeID($0) }) else { return }
        let (link, waiters) = core.withLock { core -> (CallSession?, [OneShot<Void>]) in
            let isClient = peer.role == .client || peer.role == .tool
            // A process that came under another's name would get the calls that are meant for that.
            guard node != id, isHub || core.links.values.allSatisfy({ core.table.peer(of: $0.id) != node }),
                !isHub || core.owners.connects(node, identity: isClient ? peer.identity : [])
            else { return (nil, []) }
            let isUplink = peer.role == .coordinator
            let link = CallSession(
                core.table.open(to: node, isUplink: isUplink),
                over: session,
                title: title,
                incarnation: peer.incarnation,
                isClient: isClient,
                isSupervised: isSupervised,
                questions: questions,
                node: self
            )
            core.links.insert(link, forKey: link.id)
            if isReserve { core.names.keepInReserve(link.id) }
            if isUplink { for (name, actor) in core.ownNames { publish(name, actor, over: link, &core) } }
            guard isUplink else { return (link, []) }
            core.lostHub = nil
            defer { core.uplinkWaiters = [] }
            return (link, core.uplinkWaiters)
        }
        guard let link else { return session.abort(.violation("its node is another's")) }
        session.attach(link, as: 0)
        session.flushSoon()
        for waiter in waiters { waiter.complete() }
    }

    /// The worker that stood by is used.
    package func use(_ session: Session) {
        let waits = core.withLock { core in
            core.link(over: session).map { core.names.use($0.id) } ?? []
        }
        for wait in waits { wait.woken() }
    }

    /// The process on the other side is gone: what was asked of it has no answer.
    ///
    /// - Parameter reason: How it has ended, in a sentence.
    package func lost(_ session: Session, because reason: String) {
        guard let link = core.withLock({ $0.link(over: session) }) else { return }
        close(link)
        forget(link, because: reason)
    }

    /// The session takes nothing any more: whoever hears of it finds neither names of the other side nor it as the one
    /// that knows all. What was asked over it ends when the session does.
    func unlist(_ link: CallSession) {
        let waits = core.withLock { core in
            core.table.unlist(link.id)
            return core.names.remove(link.id)
        }
        for wait in waits { wait.woken() }
    }

    /// The session has ended.
    func close(_ link: CallSession) {
        let (waits, closing, targets) = core.withLock { core in
            let waits = core.names.remove(link.id)
            let closing = core.table.close(link.id)
            return (waits, closing, closing.passedOn.map { (core.links[$0.link], $0.call) })
        }
        for wait in waits { wait.woken() }
        for run in closing.runs { run.cancel() }
        for (target, call) in targets { target?.sendCancel(call) }
        if !link.isSupervised { forget(link, because: "the connection to the \(link.title) was lost") }
    }

    private typealias Sender = CallRegistry<PendingCall, any RunningCall>.Sender

    private func forget(_ link: CallSession, because reason: String) {
        let senders = core.withLock { core in
            core.links.removeValue(forKey: link.id)
            if isHub, let node = core.table.peer(of: link.id) { core.owners.disconnects(node) }
            return core.table.forget(link.id).map { sender -> (sender: Sender, link: CallSession?) in
                if case .link(let id, _) = sender { (sender, core.links[id]) } else { (sender, nil) }
            }
        }
        let reply = ActorReply(call: 0, code: .lost, reason: reason, mayHaveBegun: true)
        for (sender, link) in senders {
            switch sender {
            case .own(let caller): caller.complete(reply)
            case .link(_, let call): link?.send(reply.to(call))
            }
        }
    }
}
