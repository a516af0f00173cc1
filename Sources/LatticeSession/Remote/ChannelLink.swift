import LatticeConcurrency
package import LatticeCore
package import LatticeTransport
package import LatticeWire

/// The opening end of a channel, in bytes: events go out, states and outcomes come back.
///
/// Events may be sent from any thread; they go out in the order of their numbers. What comes back is gathered during a
/// turn of the reactor and handed on once at its end, so that of many states only the newest is looked at. It knows no
/// type of actions or states: code that does costs a look-up of each type for every message.
package final class ChannelLink: TickObserver, EventCancelling, @unchecked Sendable {
    // `gathered` and what belongs to it is touched on the reactor's thread only, all else is `let` or inside `core`.

    struct Core {
        var opener: ChannelOpener<EventCompletion>
        var session: Session?
        /// Who is on the other side of the session.
        var peer: Handshake.Peer?
        /// Whose events the present session knows.
        var origins: OriginIndex
    }

    /// What became of an event, and who writes it.
    private enum Sending {
        /// It goes out at once, from here.
        case written(UInt64, Session)
        /// The reactor writes it with what else there is.
        case gathered(UInt64, Session)
        /// It goes out when the channel is open.
        case waiting(UInt64)
        case rejected(EventRejection)
    }

    /// With more than this on its way a channel asks the session for room.
    private static let freeBytes = 1 << 20

    /// So many events on their way are written by who sends them, which is soonest; the reactor writes what comes on top.
    private static let directEvents = 8

    package let number: UInt32
    package let subject: ChannelSubject
    package let eventLoop: any EventLoop
    let codingProgress: CodingProgress
    /// Where the events come from that are sent here first; nil if this side is nobody in particular.
    package let origin: EventOrigin?
    private let limits: ChannelLimits
    let core: Locked<Core>
    private let deliversEveryState: Bool
    /// Called on the reactor's thread.
    private let deliver: @Sendable (ChannelLink, ChannelNews, UnsafeRawBufferPointer?) -> Void

    @exclusivity(unchecked) private var gathered = ChannelNews()
    @exclusivity(unchecked) private var gatheredState: [UInt8]?
    @exclusivity(unchecked) private var isGathering = false
    /// The state that is being delivered.
    @exclusivity(unchecked) var delivered: [UInt8]?
    /// The newest state that was decoded, and the highest event in it.
    @exclusivity(unchecked) var decoded: (state: [UInt8]?, acknowledged: UInt64)?
    /// A newer one could not be decoded.
    @exclusivity(unchecked) var hasProblem = false

    /// - Parameters:
    ///   - deliversEveryState: Whether each state that comes is delivered by itself, for those who count or
    ///     record them, instead of the newest one of a turn.
    ///   - deliver: Called on the reactor's thread.
    package init(
        number: UInt32,
        subject: ChannelSubject,
        eventLoop: any EventLoop,
        limits: ChannelLimits = ChannelLimits(),
        deliversEveryState: Bool = false,
        deliver: @escaping @Sendable (ChannelLink, ChannelNews, UnsafeRawBufferPointer?) -> Void
    ) {
        self.number = number
        self.subject = subject
        self.eventLoop = eventLoop
        codingProgress = CodingProgress(eventLoop)
        self.deliversEveryState = deliversEveryState
        self.deliver = deliver
        self.limits = limits
        origin = subject.sender.map { sender in
            EventOrigin(sender: sender, channel: number, feature: subject.feature, instance: subject.instance)
        }
        core = Locked(
            Core(opener: ChannelOpener(limits: limits), origins: OriginIndex(limit: limits.maximumOrigins))
        )
    }

    // MARK: Sending

    /// Sends an action that is encoded already.
    ///
    /// - Parameter identity: The event's name, if somebody else has sent it.
    /// - Returns: What ends with the event, and the event's number; nil when it was rejected at once.
    package func send(
        encoded action: [UInt8],
        as identity: EventID? = nil
    ) -> (completion: EventCompletion, event: UInt64?) {
        let (completion, sending) = core.withLock { core in
            // Holds this link until the event ends, which each one does.
            let completion = EventCompletion(canceller: self, event: core.opener.nextEvent)
            return (completion, send(action, identity, completion, &core))
        }
        switch consume sending {
        case .written(let event, let session):
            session.flushSoon()
            return (completion, event)
        case .gathered(let event, let session):
            session.flushOnReactor()
            return (completion, event)
        case .waiting(let event):
            return (completion, event)
        case .rejected(let rejection):
            completion.complete(.rejected(rejection))
            return (completion, nil)
        }
    }

    private func send(
        _ action: [UInt8],
        _ identity: EventID?,
        _ completion: EventCompletion,
        _ core: inout Core
    ) -> Sending {
        // What could not even go alone is too large, which the opener says.
        if core.opener.unacknowledgedBytes + action.count > Self.freeBytes,
            action.count <= FrameLimits.maximumPayload, let session = core.session,
            !session.hasRoom(for: action.count)
        {
            let reason = "too much waits to be written on this connection; wait for some events to end"
            return .rejected(.overloaded.with(reason: reason))
        }
        switch core.opener.send(action, as: identity, ticket: completion) {
        case .reject(let rejection):
            return .rejected(rejection)
        case .wait(let event):
            return .waiting(event)
        case .transmit(let event):
            guard let session = core.session else { return .waiting(event) }
            // Inside the lock, so that events leave in the order of their numbers; the socket is written outside.
            if let identity {
                session.append { queue in
                    let origin = introduce(identity, &core.origins, &queue)
                    queue.addEvent(event, action: action, origin: origin, on: number)
                }
            } else {
                session.append(event: event, action: action, on: number)
            }
            return core.opener.unacknowledged > Self.directEvents ? .gathered(event, session) : .written(event, session)
        }
    }

    /// How an event of somebody else says whose it is; the other side is told first who that is, if it does not know.
    private func introduce(
        _ identity: EventID,
        _ origins: inout OriginIndex,
        _ queue: inout WriteQueue
    ) -> EventMessage.Origin {
        let (index, isNew) = origins.index(of: identity.origin)
        if isNew {
            let origin = identity.origin
            let message = OriginMessage(index: index, sender: origin.sender.bytes, channel: origin.channel)
            queue.addData(message, on: number)
        }
        return EventMessage.Origin(index: index, number: identity.number)
    }

    package var endsEvents: Bool { false }

    package func cancel(event: UInt64) {
        let (cancelling, session) = core.withLock { ($0.opener.cancel(event), $0.session) }
        switch cancelling {
        case .nothing: break
        case .end(let completion): completion.complete(.cancelled)
        case .transmit: session?.sendControl(CancelMessage(event: event), on: number)
        }
    }

    // MARK: Sessions

    package func open(on session: Session, to peer: Handshake.Peer) {
        core.withLock { core in
            core.opener.startOpening()
            guard core.opener.phase == .opening else { return }
            core.session = session
            core.peer = peer
            core.origins = OriginIndex(limit: limits.maximumOrigins)
            let open = Open(
                feature: subject.feature,
                schema: UInt32(subject.schema),
                instance: subject.instance,
                state: subject.restoresState ? core.opener.state : nil,
                revision: core.opener.revision,
                resumeAfter: core.opener.acknowledged,
                record: core.opener.record(in: peer.memory),
                maximumState: subject.restoresState ? core.opener.maximumState : nil
            )
            // Inside the lock, so that no `close` gets before it.
            session.append { $0.addOpen(open, on: number) }
        }
        session.flushSoon()
    }

    package func detach(interruption: Interruption?) {
        let tickets = core.withLock { core -> [EventCompletion] in
            core.session = nil
            guard interruption != nil else {
                core.opener.detach()
                return []
            }
            return core.opener.detachInterrupting()
        }
        guard let interruption, !tickets.isEmpty else { return }
        gatherSoon { $0.endings += tickets.map { .init(ticket: $0, outcome: .interrupted(interruption)) } }
    }

    package func close(_ rejection: EventRejection, interruption: Interruption) {
        let endings = core.withLock { core in
            core.session = nil
            // A worker that starts from a state that is known here has not applied more than that. Whoever has a state
            // of its own may have, and may go on.
            let unknown = EventOutcome.unknown(.unanswered(rejection.reason))
            return subject.restoresState
                ? core.opener.close(rejection, sent: .rejected(rejection), running: .interrupted(interruption))
                : core.opener.close(rejection, sent: unknown, running: unknown)
        }
        gatherSoon { gathered in
            gathered.endings += endings
            gathered.reject(rejection)
        }
    }

    package func revive() {
        core.withLock { $0.opener.revive() }
        gatherSoon { $0.revive() }
    }

    package func leave() {
        let (endings, session) = core.withLock { core in
            defer { core.session = nil }
            let isOnWire = core.opener.phase == .open || core.opener.phase == .opening
            // Behind the events that were sent before.
            if isOnWire { core.session?.append { $0.addData(Close(), on: number) } }
            // Told to cancel, or never to be told.
            let sent = isOnWire ? EventOutcome.cancelled : .unknown(.unanswered("the channel was left"))
            return (core.opener.close(.closed, sent: sent, running: sent), core.session)
        }
        session?.flushSoon()
        for ending in endings {
            // What never left ends like what it would have started.
            if case .rejected = ending.outcome { ending.ticket.complete(.cancelled) }
            ending.ticket.complete(ending.outcome)
        }
    }

    package func report(_ host: HostStatus) {
        gatherSoon { $0.host = host }
    }

    // MARK: Receiving

    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .state:
            receive(try StateMessage.Borrowed(decoding: body))
        case .completion:
            try receive(try CompletionMessage(decoding: body))
        case .acknowledgement:
            let message = try AcknowledgementMessage(decoding: body)
            core.withLock { $0.opener.receive(acknowledgement: message.applied, revision: message.revision) }
            gather { _ in }
        case .opened:
            receive(try Opened(decoding: body))
        case .openRefused:
            let refused = try OpenRefused(decoding: body)
            close(refused.rejection, interruption: .unknown)
            gather { $0.refuse(refused.code) }
        case .hostStatus:
            let message = try HostStatusMessage(decoding: body)
            report(HostStatus(message, from: core.withLock(\.peer)?.life))
        case .closed:
            let closed = try Closed(decoding: body)
            close(.closed.with(reason: closed.reason), interruption: .unknown)
        default:
            throw .unexpected(kind, at: "the side that opened its channel")
        }
    }

    private func receive(_ message: StateMessage.Borrowed) {
        let isKept = subject.restoresState || !deliversEveryState
        let bytes = isKept ? [UInt8](message.state) : nil
        let (isNewer, acknowledged) = core.withLock { core in
            let isNewer = core.opener.receive(
                state: bytes,
                revision: message.revision,
                applied: message.applied,
                endings: &gathered.endings
            )
            return (isNewer, core.opener.acknowledged)
        }
        guard isNewer else { return }
        guard deliversEveryState else {
            gatheredState = bytes
            return handOnAtEndOfTurn()
        }
        handOn(message.state, acknowledged)
    }

    private func receive(_ message: CompletionMessage) throws(WireError) {
        do throws(SessionError) {
            try core.withLock { core throws(SessionError) in
                try core.opener.receive(
                    completion: message.event,
                    through: message.through ?? message.event,
                    revision: message.revision,
                    outcome: EventOutcome(message.outcome),
                    endings: &gathered.endings
                )
            }
        } catch {
            throw .session(error.detail)
        }
        handOnAtEndOfTurn()
    }

    private func receive(_ message: Opened) {
        // An empty state stands for the one that went out with `open`.
        let bytes = message.state.isEmpty ? nil : message.state
        let (reopening, session) = core.withLock { core in
            let reopening = core.opener.opened(
                state: bytes,
                revision: message.revision,
                applied: message.applied,
                by: subject.restoresState ? .starter : .keeper(memory: core.peer?.memory ?? [], record: message.record)
            )
            core.session?.append { queue in
                for event in reopening.resending {
                    let origin = event.identity.map { introduce($0, &core.origins, &queue) }
                    queue.addKeptEvent(event.event, action: event.action, origin: origin, on: number)
                    if event.isCancelled { queue.addControl(CancelMessage(event: event.event), on: number) }
                }
            }
            return (reopening, core.session)
        }
        session?.flushSoon()
        gather { gathered in
            if let bytes {
                gatheredState = bytes
            } else if let decoded {
                // It goes on from that state.
                self.decoded = (decoded.state, message.applied)
                solveProblem(&gathered)
            }
            gathered.reopen()
            gathered.endings += reopening.endings
        }
    }

    // MARK: Handing on

    /// Any thread.
    private func gatherSoon(_ add: @escaping @Sendable (inout ChannelNews) -> Void) {
        if eventLoop.isCurrent { gather(add) } else { eventLoop.execute { [self] in gather(add) } }
    }

    private func gather(_ add: (inout ChannelNews) -> Void) {
        add(&gathered)
        handOnAtEndOfTurn()
    }

    private func handOnAtEndOfTurn() {
        guard !isGathering else { return }
        isGathering = true
        eventLoop.atEndOfTick(self)
    }

    package func tickEnded() {
        isGathering = false
        let acknowledged = core.withLock { $0.opener.acknowledged }
        guard let state = gatheredState.take() else { return handOn(nil, acknowledged) }
        delivered = state
        state.withUnsafeBytes { handOn($0, acknowledged) }
        delivered = nil
    }

    private func handOn(_ state: UnsafeRawBufferPointer?, _ acknowledged: UInt64) {
        var news = ChannelNews()
        if !gathered.isEmpty { swap(&news, &gathered) }
        news.acknowledged = acknowledged
        deliver(self, news, state)
    }
}
