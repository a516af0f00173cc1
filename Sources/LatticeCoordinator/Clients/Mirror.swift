import LatticeConcurrency
import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire

/// The serving end of one client's channel: its events go to the feature, the feature's view states to it.
///
/// It belongs to the client, not to the connection: when that breaks, what ran goes on, outcomes wait, and a client
/// that comes back in time finds both.
final class Mirror: Sendable {
    fileprivate struct Core {
        var server = ChannelServer(revision: 0, applied: 0)
        var link: (session: Session, number: UInt32)?
        /// Whether `opened` went out on the link; nothing may go before it.
        var isOpen = false
        /// `opened` is due, with this status.
        var opening: HostStatus?
        var state: [UInt8] = []
        /// Events on their way: their number at the worker, and the client's.
        var forwarded: [(worker: UInt64, client: UInt64)] = []
        var running: [UInt64: EventCompletion] = [:]
        /// Outcomes that the client has not been sent.
        var undelivered: [(event: UInt64, outcome: EventOutcome)] = []
        /// Outcomes that may have been lost with a connection.
        var sent = SentOutcomes()
        var origins: OriginTable
    }

    /// Events of one client that run, or whose outcome waits for it to come back.
    static var maximumRunning: Int { ChannelLimits().maximumEvents }

    /// Sends an encoded action to the worker, under the name that its sender gave it: how it ends, and its number there.
    typealias Forward = @Sendable ([UInt8], EventID) -> (completion: EventCompletion, event: UInt64?)

    let key: FeatureRegistry.Key
    /// Names this mirror to the client, who comes back to it by that name; nil for one that cannot come back.
    let record: UInt64?
    private let core: Locked<Core>
    private let forward: Forward

    /// - Parameters:
    ///   - sender: The client: where the events come from that say nothing else.
    ///   - channel: The number of its channel.
    init(
        key: FeatureRegistry.Key,
        record: UInt64?,
        sender: EventSender,
        channel: UInt32,
        forward: @escaping Forward
    ) {
        let origin = EventOrigin(sender: sender, channel: channel, feature: key.feature, instance: key.instance)
        core = Locked(Core(origins: OriginTable(opener: origin)))
        self.key = key
        self.record = record
        self.forward = forward
    }

    // MARK: Connection

    /// The client has a session on which it opened this channel.
    func link(_ session: Session, number: UInt32) {
        core.withLock { core in
            core.link = (session, number)
            core.isOpen = false
            core.opening = nil
        }
    }

    /// The session is over; another one may have taken its place already.
    func unlink(_ session: Session) {
        core.withLock { core in
            guard core.link?.session === session else { return }
            core.link = nil
            core.isOpen = false
        }
    }

    /// The client left the channel: nobody waits for what runs any more.
    func close() {
        let (running, session) = core.withLock { core in
            let session = core.link?.session
            for event in core.running.keys.sorted() { core.send(event, .cancelled) }
            core.link = nil
            core.isOpen = false
            return (Array(core.running.values), session)
        }
        session?.flushSoon()
        for completion in running { completion.cancel() }
    }

    /// Answers `open`, with the view state as it is now and the outcomes that waited, once there is room. On the main
    /// actor.
    func open(state: [UInt8], revision: UInt64, acknowledged: UInt64, host: HostStatus) {
        let session = core.withLock { core -> Session? in
            core.state = state
            core.advance(to: revision, acknowledged: acknowledged)
            core.opening = host
            return core.open(as: record)
        }
        session?.flushSoon()
    }

    func report(_ host: HostStatus) {
        let session = core.withLock { core -> Session? in
            if core.opening != nil { core.opening = host }
            guard core.isOpen, let (session, number) = core.link else { return nil }
            session.append { $0.addControl(HostStatusMessage(host), on: number) }
            return session
        }
        session?.flushSoon()
    }

    // MARK: Events

    /// - Parameter session: The one that it came on; what comes on an older one than the present is dropped.
    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer, from session: Session) throws(WireError) {
        switch kind {
        case .cancel:
            try cancel(try CancelMessage(decoding: body).event, from: session)
        case .origin:
            let message = try OriginMessage(decoding: body)
            core.withLock { if $0.isLinked(to: session) { $0.origins.introduce(message) } }
        default:
            try receive(try EventMessage.Borrowed(decoding: body), from: session)
        }
    }

    private func receive(_ message: EventMessage.Borrowed, from source: Session) throws(WireError) {
        let event = message.event
        let (receipt, completion, session) = try core.withLock {
            core throws(WireError) -> (ChannelServer.Receipt, EventCompletion?, Session?) in
            guard core.isLinked(to: source) else { return (.duplicate, nil, nil) }
            let identity = try core.origins.identity(of: message)
            let receipt = core.server.receive(event: event)
            if receipt == .duplicate { return (receipt, nil, core.repeatOutcome(of: event)) }
            // Inside the lock, so that no answer comes before the event is known.
            let (completion, worker) =
                core.isFull ? (EventCompletion(), nil) : forward([UInt8](message.action), identity)
            if core.isFull { completion.complete(.rejected(.overloaded)) }
            core.running[event] = completion
            if let worker { core.note(event, as: worker) }
            return (receipt, completion, nil)
        }
        session?.flushSoon()
        completion?.onCompletion { [weak self] outcome in self?.end(event, outcome) }
        if receipt == .applyCancelled { completion?.cancel() }
    }

    private func cancel(_ event: UInt64, from session: Session) throws(WireError) {
        do throws(SessionError) {
            let running = try core.withLock { core throws(SessionError) -> EventCompletion? in
                guard core.isLinked(to: session) else { return nil }
                return try core.server.cancel(event: event) ? core.running[event] : nil
            }
            running?.cancel()
        } catch {
            throw .session(error.detail)
        }
    }

    private func end(_ event: UInt64, _ outcome: EventOutcome) {
        let session = core.withLock { core -> Session? in
            core.running[event] = nil
            guard core.isOpen else {
                core.undelivered.append((event, outcome))
                return nil
            }
            core.send(event, outcome)
            return core.link?.session
        }
        session?.flushSoon()
    }

    // MARK: States

    /// A view state was shown, or events were applied that left it as it is. On the main actor.
    ///
    /// - Parameter frame: The state, for this client and others.
    /// - Returns: Whether something has to be written.
    func publish(_ frame: inout StateFrame, revision: UInt64, acknowledged: UInt64) -> Bool {
        core.withLock { core in
            core.state = frame.state
            core.advance(to: revision, acknowledged: acknowledged)
            return core.publish(&frame)
        }
    }

    /// Where that is to be written; nil while the client is away.
    var session: Session? { core.withLock { $0.link?.session } }

    /// What had to wait went out.
    func drained() {
        let session = core.withLock { core in
            if core.opening != nil { return core.open(as: record) }
            var frame = StateFrame(core.state)
            return core.publish(&frame) ? core.link?.session : nil
        }
        session?.flushSoon()
    }
}

extension Mirror.Core {
    fileprivate func isLinked(to session: Session) -> Bool { link?.session === session }

    /// The view state has this number, and contains the worker's events up to `acknowledged`.
    fileprivate mutating func advance(to revision: UInt64, acknowledged: UInt64) {
        defer { server.change(to: revision) }
        guard !forwarded.isEmpty else { return }
        let applied = forwarded.prefix { $0.worker <= acknowledged }
        if let last = applied.last { server.apply(through: last.client) }
        forwarded.removeFirst(applied.count)
    }

    /// Adds `opened` to the session, or asks for room.
    fileprivate mutating func open(as record: UInt64?) -> Session? {
        guard let host = opening, let (session, number) = link else { return nil }
        let hasRoom = session.appendState(on: number) { queue in
            server.republish()
            let opened = Opened(
                revision: server.revision,
                applied: server.applied,
                state: state,
                record: record
            )
            queue.addData(opened, on: number)
            queue.addControl(HostStatusMessage(host), on: number)
        }
        guard hasRoom else { return nil }
        opening = nil
        isOpen = true
        let undelivered = self.undelivered
        self.undelivered = []
        for (event, outcome) in undelivered { send(event, outcome) }
        return session
    }

    /// Adds what is due to the session; a client that does not keep up gets the newest state later.
    fileprivate mutating func publish(_ frame: inout StateFrame) -> Bool {
        guard isOpen, let (session, number) = link else { return false }
        guard server.isDirty else {
            guard case .acknowledgement(let applied, let revision) = server.publish() else { return false }
            let message = AcknowledgementMessage(applied: applied, revision: revision)
            session.append { $0.addControl(message, on: number) }
            return true
        }
        return session.appendState(on: number) { queue in
            guard case .state(let revision, let applied) = server.publish() else { return }
            frame.add(to: &queue, revision: revision, applied: applied, on: number)
        }
    }

    fileprivate var isFull: Bool { running.count + undelivered.count >= Mirror.maximumRunning }

    /// An event was sent on.
    fileprivate mutating func note(_ event: UInt64, as worker: UInt64) {
        forwarded.append((worker, event))
        // Events that ended before they reached the worker are not acknowledged by it.
        guard forwarded.count > 2 * running.count + 1024 else { return }
        forwarded.removeAll { running[$0.client] == nil }
    }

    /// The client asks again for an event that was taken in: if it has ended, it is told once more.
    fileprivate mutating func repeatOutcome(of event: UInt64) -> Session? {
        guard isOpen, running[event] == nil else { return nil }
        send(event, sent.outcome(of: event))
        return link?.session
    }

    fileprivate mutating func send(_ event: UInt64, _ outcome: EventOutcome) {
        guard let (session, number) = link else { return }
        let revision = server.complete(event)
        sent.note(event, outcome)
        session.append { $0.addCompletion(event, revision: revision, outcome: outcome, on: number) }
    }
}
