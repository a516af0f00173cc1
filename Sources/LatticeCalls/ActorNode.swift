package import LatticeConcurrency
package import LatticeSession
import LatticeTransport
import LatticeWire
import Synchronization

/// This process as a participant in calls: the calls that it makes, receives and passes on, and the sessions that carry
/// them.
///
/// A worker, a coordinator and a client each have a node, and you create an actor system with it. The node of the
/// coordinator is the *hub*, which knows all other nodes. Calls between two other nodes, and the names of their actors,
/// go through the hub. ``CallTable`` matches answers with calls, and ``NameTable`` holds the names of actors.
public final class ActorNode: Sendable {
    struct Core {
        var table: CallTable<PendingCall, any RunningCall>
        var names = NameTable()
        /// The names that this process watches, by the numbers of the watches.
        var watches: [UInt64: WatchedName] = [:]
        var lastWatch: UInt64 = 0
        /// The watches of other processes that must receive a list, by their sessions.
        var dueLists: [SessionID: Set<UInt64>] = [:]
        /// What the present change leads to. It is empty outside of `update`.
        var effects = NameEffects()
        var ends = EndTable<IncomingCall>()
        var sessions = SessionMap<CallSession>()
        var owners = NodeOwners()
        var host: (any CallHost)?
        /// The names of this node's actors, with the numbers of the actors.
        var ownNames: [String: UInt64] = [:]
        /// The number of calls of actors that run here.
        var running = 0
        /// Called when no call runs here any more. If it is not `nil`, the node is draining and begins no calls.
        var onIdle: (@Sendable () -> Void)?
        var hasEnded = false
        /// The reason why there will be no session with the hub any more, or `nil` if there is one or may be one.
        var lostHub: String?
        /// Receives sentences for the log of the process.
        var onNote: (@Sendable (String) -> Void)?
        /// Receives the calls that run here.
        var onCall: (@Sendable (CallReport) -> Void)?
        /// Opens the spans of calls.
        var onTrace: (@Sendable (TracedCall, _ lines: [String]) -> (any OpenSpan)?)?
        /// The waiters for a session with the hub.
        var uplinkWaiters: [OneShot<Void>] = []

        func callSession(over session: Session) -> CallSession? { sessions.values.first { $0.base === session } }
    }

    /// The time that a cancelled call may take to be answered.
    package static let cancelTimeout: Duration = .seconds(1)

    /// The ID of this node.
    package let id: NodeID
    /// Whether this node is the hub, which knows all other nodes.
    package let isHub: Bool
    /// The name of this process in messages.
    package let title: String
    /// The incarnation of a worker, or 0 for other processes.
    package let incarnation: UInt64
    let cancelTimeout: Duration
    let core: Locked<Core>
    /// Whether calls are reported. The answer is read for each call.
    private let reportsCalls = Atomic(false)
    /// Whether calls may have spans. The answer is read for each call.
    private let opensSpans = Atomic(false)

    /// Creates a node.
    ///
    /// - Parameters:
    ///   - isHub: Whether the node is the hub, which knows all other nodes.
    ///   - title: The name of this process in messages.
    ///   - incarnation: The incarnation of a worker, or 0 for other processes.
    ///   - id: The ID of the node.
    ///   - cancelTimeout: The time that a cancelled call may take to be answered.
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

    /// Sets the object that runs the calls of this node's actors.
    package func connect(_ host: any CallHost) {
        core.withLock { $0.host = host }
    }

    /// Sets the function that receives a sentence for the log when a limit is reached. The function is called on any
    /// thread.
    package func onNote(_ called: @escaping @Sendable (String) -> Void) {
        core.withLock { $0.onNote = called }
    }

    /// Sets the function that receives the calls of actors that run here, each when it begins and when it ends. Calls
    /// that have begun before are not reported. The function is called on any thread.
    package func onCall(_ called: @escaping @Sendable (CallReport) -> Void) {
        core.withLock { $0.onCall = called }
        reportsCalls.store(true, ordering: .releasing)
    }

    /// Whether calls are reported.
    var isObserved: Bool { reportsCalls.load(ordering: .acquiring) }

    /// Sets the function that begins a span of a call. The function is called on any thread. It gets the trace context
    /// that the call belongs to, and returns nil if the call is not traced.
    package func onTrace(_ begin: @escaping @Sendable (TracedCall, _ lines: [String]) -> (any OpenSpan)?) {
        core.withLock { $0.onTrace = begin }
        opensSpans.store(true, ordering: .releasing)
    }

    /// Whether calls may have spans.
    var tracesCalls: Bool { opensSpans.load(ordering: .acquiring) }

    /// Begins a span of a call. Returns nil if the call is not traced.
    func beginSpan(_ call: TracedCall, in lines: [String]) -> (any OpenSpan)? {
        core.withLock(\.onTrace)?(call, lines)
    }

    /// Reports the beginning or the end of a call that runs here.
    func report(_ call: IncomingCall, end: ReplyCode?) {
        guard let subject = call.subject else { return }
        let report = CallReport(
            actor: subject.actor,
            method: subject.method,
            isResolved: subject.isResolved.load(ordering: .acquiring),
            caller: call.callerTitle,
            end: end,
            duration: end == nil ? .zero : .nanoseconds(MonotonicTime.withSleep - subject.arrival)
        )
        core.withLock(\.onCall)?(report)
    }

    /// Sends a sentence to the function that was passed to ``onNote(_:)``.
    package func note(_ sentence: String) {
        core.withLock(\.onNote)?(sentence)
    }

    /// The number of answers that arrived after their callers had given up.
    package var lateReplies: Int { core.withLock(\.table.lateReplies) }

    // MARK: Ends

    /// Ends the node. The host is notified, and waits for the hub end.
    package func end() {
        let (host, waiters) = update { core in
            core.hasEnded = true
            setWatches(to: .ended, &core)
            defer { core.uplinkWaiters = [] }
            return (core.host, core.uplinkWaiters)
        }
        for waiter in waiters { waiter.complete() }
        host?.nodeEnded()
    }

    /// Whether the node has ended.
    package var hasEnded: Bool { core.withLock(\.hasEnded) }

    /// Whether the node can reach other nodes at the moment.
    package var isConnected: Bool { core.withLock { isHub || $0.table.uplink != nil } }

    /// The reason why this process will not reach other processes any more, or `nil` if it can or may reach them.
    package var lostHub: String? { core.withLock(\.lostHub) }

    /// Records that there will be no session with the hub any more. Calls that wait for one, and later ones, fail with
    /// this reason.
    package func loseHub(because reason: String) {
        let waiters = update { core in
            core.lostHub = reason
            setWatches(to: .lost(reason), &core)
            defer { core.uplinkWaiters = [] }
            return core.uplinkWaiters
        }
        for waiter in waiters { waiter.complete() }
    }

    // MARK: Draining

    /// Stops accepting calls.
    ///
    /// - Parameter onIdle: Called on any thread when the running calls have ended.
    package func drain(_ onIdle: @escaping @Sendable () -> Void) {
        let runs = core.withLock { core in
            core.onIdle = onIdle
            return core.table.runs
        }
        for run in runs { run.drain() }
    }

    /// Whether no call runs here and no answer waits to be sent.
    package var isIdle: Bool {
        let (isIdle, sessions) = core.withLock { ($0.running == 0, $0.sessions.values.map(\.self)) }
        return isIdle && sessions.allSatisfy(\.isEmpty)
    }

    /// Ends the calls that run here for other processes, because this process is about to end.
    package func cancelRunning() {
        for run in core.withLock(\.table.runs) { run.leave() }
    }

    // MARK: Sessions

    /// Adds a session whose other side may be a node. Call it on the event loop.
    ///
    /// - Parameters:
    ///   - session: The open session.
    ///   - peer: The other side, as the handshake describes it.
    ///   - title: The name of the other side in messages.
    ///   - isSupervised: Whether ``lost(_:because:)`` will be called after the session's end, with the reason.
    ///   - isReserve: Whether the other side is a standby worker, whose names are not found until ``use(_:)`` is
    ///     called.
    ///   - questions: Answers the questions on the channels of the session. The node keeps it until the session ends.
    package func connect(
        _ session: Session,
        to peer: Handshake.Peer,
        title: String,
        isSupervised: Bool = false,
        isReserve: Bool = false,
        questions: (any QuestionHost)? = nil
    ) {
        guard let node = peer.node.flatMap({ NodeID($0) }) else { return }
        let (callSession, waiters) = update { core -> (CallSession?, [OneShot<Void>]) in
            let isClient = peer.role == .client || peer.role == .tool
            // A process that used the ID of another node would receive the calls for that node.
            guard node != id, isHub || core.sessions.values.allSatisfy({ core.table.peer(of: $0.id) != node }),
                !isHub || core.owners.connects(node, identity: isClient ? peer.identity : [])
            else { return (nil, []) }
            let isUplink = peer.role == .coordinator
            let callSession = CallSession(
                core.table.open(to: node, isUplink: isUplink),
                over: session,
                title: title,
                // This process has made the socket of a worker, so the system names this process as the other side.
                // What a client says of itself need not be true.
                processID: isClient ? session.connection.peer.processID : Int32(clamping: peer.processID),
                incarnation: peer.incarnation,
                isClient: isClient,
                isSupervised: isSupervised,
                questions: questions,
                node: self
            )
            core.sessions.insert(callSession, forKey: callSession.id)
            if isReserve { core.names.keepInReserve(callSession.id) }
            guard isUplink else { return (callSession, []) }
            core.lostHub = nil
            introduce(&core)
            defer { core.uplinkWaiters = [] }
            return (callSession, core.uplinkWaiters)
        }
        guard let callSession else { return session.abort(.violation("its node ID belongs to another process")) }
        session.attach(callSession, as: 0)
        session.flushSoon()
        for waiter in waiters { waiter.complete() }
    }

    /// Makes the names of a standby worker available, because the worker is now in use.
    package func use(_ session: Session) {
        update { core in
            if let callSession = core.callSession(over: session) { mark(core.names.use(callSession.id), &core) }
        }
    }

    /// Removes a process that has ended. Calls that were sent to it end with an error.
    ///
    /// - Parameters:
    ///   - session: The session with the process.
    ///   - reason: How the process ended, in a sentence.
    package func lost(_ session: Session, because reason: String) {
        guard let callSession = core.withLock({ $0.callSession(over: session) }) else { return }
        close(callSession)
        forget(callSession, because: reason)
    }

    /// Removes a session that can send no more messages from routing. The names of the other side are no longer found,
    /// and if it is the hub, the session is no longer used to reach it. Calls that were sent over the session end when
    /// the session does.
    func unlist(_ session: CallSession) {
        update { unlist(session, &$0) }
    }

    private func unlist(_ session: CallSession, _ core: inout Core) {
        if core.table.uplink == session.id {
            setWatches(to: core.lostHub.map { .lost($0) } ?? .unconnected, &core)
        }
        core.table.unlist(session.id)
        mark(core.names.remove(session.id), &core)
    }

    /// Handles the end of a session.
    func close(_ session: CallSession) {
        let (closing, targets) = update { core in
            unlist(session, &core)
            core.names.unwatchAll(of: session.id)
            core.dueLists[session.id] = nil
            let closing = core.table.close(session.id)
            return (closing, closing.passedOn.map { (core.sessions[$0.session], $0.call) })
        }
        for run in closing.runs { run.cancel() }
        for (target, call) in targets { target?.sendCancel(call) }
        if !session.isSupervised { forget(session, because: "the connection to the \(session.title) was lost") }
    }

    private typealias Sender = CallRegistry<PendingCall, any RunningCall>.Sender

    private func forget(_ session: CallSession, because reason: String) {
        let senders = core.withLock { core in
            core.sessions.removeValue(forKey: session.id)
            if isHub, let node = core.table.peer(of: session.id) { core.owners.disconnects(node) }
            return core.table.forget(session.id).map { sender -> (sender: Sender, session: CallSession?) in
                if case .session(let id, _) = sender { (sender, core.sessions[id]) } else { (sender, nil) }
            }
        }
        let outcome = CallOutcome.failure(.lost, reason, mayHaveBegun: true)
        for (sender, session) in senders {
            switch sender {
            case .own(let caller): caller.complete(outcome)
            case .session(_, let call): session?.send(outcome.reply(to: call))
            }
        }
    }
}
