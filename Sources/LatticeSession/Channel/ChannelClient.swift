import LatticeConcurrency
package import LatticeTransport
import LatticeWire

/// The end of a channel that opened it: events go out, states and outcomes come back, all as bytes.
///
/// Events may be sent from any thread; they go out in the order of their numbers. What comes back is gathered during a
/// tick of the event loop and delivered once at its end, so that of many states only the newest is looked at. It
/// outlives the session: when that ends, the next one opens the channel again. What it does is decided by
/// ``ChannelClientState``.
package final class ChannelClient: SessionChannel, TickObserver, @unchecked Sendable {
    // `gathered` and what belongs to it is touched on the event loop only, all else is `let` or inside `core`.

    /// What a channel opens.
    package struct Subject: Sendable {
        package let feature: String
        package let schema: Int
        package let instance: String
        /// Whether the other side starts from the state that this side knows, as a new worker does.
        package let restoresState: Bool
        /// What the other side configures the feature by; nil for what the feature itself says.
        package let configuration: [UInt8]?

        package init(
            feature: String,
            schema: Int,
            instance: String,
            restoresState: Bool,
            configuration: [UInt8]? = nil
        ) {
            self.feature = feature
            self.schema = schema
            self.instance = instance
            self.restoresState = restoresState
            self.configuration = configuration
        }
    }

    /// What a tick brought: its news, and what came of the state. Valid during the call.
    package typealias Deliver = @Sendable (ChannelClient, ChannelUpdate, StateUpdate) -> Void

    /// Decodes an update, on any thread, one at a time. Nothing is delivered meanwhile.
    package typealias Decode = @Sendable (StateUpdate) throws -> any Sendable

    /// The newest state that was decoded.
    struct Accepted {
        /// It, where whoever serves the channel next starts from it.
        let state: KeptState?
        var revision: UInt64
        /// The highest event in it.
        var acknowledged: UInt64
    }

    struct Core {
        var state: ChannelClientState<any EventPromise>
        var session: Session?
        /// Who is on the other side of the session.
        var peer: Handshake.Peer?
        /// Whose events the present session knows.
        var origins: OriginIndex
        /// Called at the end of each tick that brought something, while events are tried one at a time; else nil.
        var proceed: (@Sendable () -> Void)?
    }

    /// With more than this on its way a channel asks the session for room.
    private static let freeBytes = 1 << 20

    /// So many events on their way are written by who sends them, which is soonest; the loop writes what comes on top.
    private static let directEvents = 8

    package let number: UInt32
    package let subject: Subject
    package let eventLoop: any EventLoop
    package let codingProgress: CodingProgress
    let limits: ChannelLimits
    let core: Locked<Core>
    let takesPatches: Bool
    let deliversEveryState: Bool
    let decode: Decode?
    let deliver: Deliver

    // Unchecked: checks of exclusive access at run time took 3 % of the CPU of `latticectl bench session`.
    @exclusivity(unchecked) var gathered = ChannelUpdate()
    @exclusivity(unchecked) var gatheredState = GatheredState()
    @exclusivity(unchecked) var isGathering = false
    /// Whether a large update is being decoded on another thread. What comes meanwhile is gathered.
    @exclusivity(unchecked) var isDecoding = false
    /// Whether the state is being encoded that the other side will start from.
    var isPreparing = false
    /// That state with its bytes, or with the error that there is instead.
    var prepared: KeptState?
    /// Called when what has to be done before the channel can be opened has been done.
    var onReady: (() -> Void)?
    /// The state that is being delivered, if it came as a whole and nothing has changed since.
    var delivered: [UInt8]?
    /// The number of the newest state that was delivered.
    var deliveredRevision: UInt64 = 0
    var accepted: Accepted?
    /// A newer state than that could not be decoded.
    var hasProblem = false
    /// How events ended whose state could not be made out of its changes: told when the whole state is there.
    var withheld: [ChannelUpdate.Ending]?

    /// - Parameters:
    ///   - initialState: What the other side starts from, if that restores states; nil: what the feature itself says.
    ///   - takesPatches: Whether changes of a state may be delivered instead of it.
    ///   - deliversEveryState: Whether each state that comes is delivered by itself, for those who count or
    ///     record them, instead of the newest one of a tick.
    ///   - decode: Decodes updates that are too large for the event loop; nil: `deliver` decodes all.
    ///   - deliver: Called on the event loop.
    package init(
        number: UInt32,
        subject: Subject,
        eventLoop: any EventLoop,
        limits: ChannelLimits = ChannelLimits(),
        initialState: [UInt8]? = nil,
        takesPatches: Bool = false,
        deliversEveryState: Bool = false,
        decode: Decode? = nil,
        deliver: @escaping Deliver
    ) {
        self.number = number
        self.subject = subject
        self.eventLoop = eventLoop
        codingProgress = CodingProgress(eventLoop)
        self.takesPatches = takesPatches
        self.deliversEveryState = deliversEveryState
        self.decode = decode
        self.deliver = deliver
        self.limits = limits
        var state = ChannelClientState<any EventPromise>(limits: limits)
        state.kept = initialState.map(KeptState.init)
        accepted = initialState.map { Accepted(state: KeptState($0), revision: 0, acknowledged: 0) }
        core = Locked(Core(state: state, origins: OriginIndex(limit: limits.maximumOrigins)))
    }

    /// Whether events were sent that have not ended. Any thread.
    package var hasEvents: Bool { core.withLock(\.state.hasEvents) }

    /// The highest event that is acknowledged, with all before it. Any thread.
    package var acknowledged: UInt64 { core.withLock(\.state.acknowledged) }

    // MARK: Sending

    /// Sends an action that is encoded already.
    ///
    /// - Parameters:
    ///   - name: The event's name, if somebody else has sent it.
    ///   - terms: Travel with the event. Who sends it calls `expire(event:)` at its deadline.
    ///   - makeTicket: Makes what ends with the event; called with its number, under the channel's lock. The ticket is
    ///     kept until the event has ended.
    /// - Returns: The event's number; nil when it was rejected at once, which the ticket has been told.
    package func send(
        _ action: [UInt8],
        as name: EventName? = nil,
        terms: EventMetadata = .none,
        makeTicket: (UInt64) -> any EventPromise
    ) -> UInt64? {
        let (sending, session, areMany) = core.withLock { core in
            let sending = send(action, name, terms, makeTicket(core.state.nextEvent), &core)
            return (sending, core.session, core.state.unacknowledged > Self.directEvents)
        }
        switch sending {
        case .transmit(let event):
            if areMany { session?.flushOnEventLoop() } else { session?.flushSoon() }
            return event
        case .wait(let event):
            return event
        case .reject(let outcome, let ticket):
            ticket.ended(outcome)
            return nil
        }
    }

    private func send(
        _ action: [UInt8],
        _ name: EventName?,
        _ terms: EventMetadata,
        _ ticket: consuming any EventPromise,
        _ core: inout Core
    ) -> ChannelClientState<any EventPromise>.Sending {
        // What could not even go alone is too large, which the state says.
        if core.state.unacknowledgedBytes + action.count > Self.freeBytes,
            action.count <= FrameLimits.maximumPayload, let session = core.session,
            !session.hasRoom(for: action.count)
        {
            let reason = "too much waits to be written on this connection; wait for some events to end"
            return .reject(.rejected(code: .overloaded, reason: reason), ticket)
        }
        let sending = core.state.send(action, as: name, terms: terms, ticket: ticket)
        if case .transmit(let event) = sending {
            // Inside the lock, so that events leave in the order of their numbers; the socket is written outside.
            if name == nil, terms.isNone {
                core.session?.append(event: event, action: action, on: number)
            } else {
                core.session?.append { queue in
                    queue.addEvent(message(event, action, name, terms, &core, &queue), on: number)
                }
            }
        }
        return sending
    }

    /// An event as it is sent now; the other side is told first whose it is, if it does not know.
    func message(
        _ event: UInt64,
        _ action: [UInt8],
        _ name: EventName?,
        _ terms: EventMetadata,
        _ core: inout Core,
        _ queue: inout WriteQueue
    ) -> EventMessage {
        EventMessage(
            event: event,
            action: action,
            origin: name.map { core.origins.introduce($0, on: number, in: &queue) },
            context: terms.context
        )
    }

    /// Cancels an event and all that it has started. Any thread.
    package func cancel(event: UInt64) {
        let (cancelling, session) = core.withLock { ($0.state.cancel(event), $0.session) }
        switch cancelling {
        case .nothing: break
        case .end(let ticket):
            ticket.ended(.cancelled)
            // Who counts what is on its way hears of it.
            gatherSoon { _ in }
        case .transmit: session?.sendControl(CancelMessage(event: event), on: number)
        }
    }

    /// The deadline of an event has passed: it ends, unless the other side has it and looks after it. Any thread.
    package func expire(event: UInt64) {
        guard let ticket = core.withLock({ $0.state.expire(event) }) else { return }
        gatherSoon { $0.endings.append(ChannelUpdate.Ending(ticket: ticket, outcome: .deadlinePassed)) }
    }

    // MARK: Sessions

    /// Does what has to be done before the channel can be opened: what came is decoded, so that it is known how much of
    /// it is of use, and the state encoded that the other side starts from. On the event loop.
    ///
    /// - Parameter onReady: Called when what takes long has been done, and it is to be asked again.
    /// - Returns: Whether the channel can be opened now.
    func prepareToOpen(_ onReady: @escaping () -> Void) -> Bool {
        deliverGathered()
        let isReady = !isDecoding && !isPreparing && prepareState()
        self.onReady = isReady ? nil : onReady
        return isReady
    }

    func open(on session: Session, to peer: Handshake.Peer) {
        let state = restoredState()
        core.withLock { core in
            core.state.startOpening()
            guard core.state.phase == .opening else { return }
            core.session = session
            core.peer = peer
            core.origins = OriginIndex(limit: limits.maximumOrigins)
            let open = Open(
                feature: subject.feature,
                schema: UInt32(subject.schema),
                instance: subject.instance,
                state: state,
                revision: subject.restoresState ? core.state.revision : core.state.knownRevision,
                resumeAfter: core.state.acknowledged,
                record: core.state.record(in: peer.memory),
                maximumState: subject.restoresState ? core.state.maximumState : nil,
                takesPatches: takesPatches,
                configuration: subject.configuration
            )
            // Inside the lock, so that no `close` gets before it.
            session.append { $0.addOpen(open, on: number) }
        }
        session.flushSoon()
    }

    /// The session is gone; what ran on the other side may still run there.
    func detach() {
        core.withLock { core in
            core.session = nil
            core.state.detach()
        }
    }

    /// The worker behind the channel is gone, and what ran there.
    ///
    /// - Returns: Whether an effect with a name may be why.
    func detach(interruptedBy life: WorkerTermination) -> Bool {
        let (endings, effects, isAnswered) = core.withLock { core in
            core.session = nil
            return core.state.detachInterrupting(by: life)
        }
        guard !endings.isEmpty || !effects.isEmpty else { return isAnswered }
        gatherSoon { gathered in
            gathered.endings += endings
            let interrupted = ChannelUpdate.Interrupted(
                cause: life.cause,
                incarnation: life.incarnation,
                effects: effects,
                report: life.report
            )
            gathered.add(.interrupted(interrupted))
        }
        return isAnswered
    }

    /// Takes nothing any more.
    ///
    /// - Parameter interruption: How what ran on the other side ends, if that started from a state that is known here.
    func close(_ end: ChannelEnd, interruption: WireOutcome) {
        let endings = core.withLock { core in
            core.session = nil
            // A worker that starts from a state that is known here has not applied more than that. Whoever has a state
            // of its own may have, and may go on.
            let unknown = WireOutcome.unanswered(end.reason)
            return subject.restoresState
                ? core.state.close(end, sent: end.outcome, running: interruption)
                : core.state.close(end, sent: unknown, running: unknown)
        }
        gatherSoon { gathered in
            gathered.endings += endings
            gathered.add(.closed(end))
        }
    }

    func revive() {
        core.withLock { $0.state.revive() }
        gatherSoon { $0.add(.revived) }
    }

    func leave() {
        let (endings, session) = core.withLock { core in
            defer { core.session = nil }
            let isOnWire = core.state.phase == .open || core.state.phase == .opening
            // Behind the events that were sent before.
            if isOnWire { core.session?.append { $0.addData(Close(), on: number) } }
            // Told to cancel, gone with its worker, or never to be told.
            let sent = isOnWire || subject.restoresState ? WireOutcome.cancelled : .unanswered("the channel was left")
            return (core.state.close(.left, sent: sent, running: sent), core.session)
        }
        session?.flushSoon()
        for ending in endings {
            // What never left ends like what it would have started.
            if case .rejected = ending.outcome {
                ending.ticket.ended(.cancelled)
            } else {
                ending.ticket.ended(ending.outcome)
            }
        }
        // Who waits for the channel to be opened waits in vain.
        gatherSoon { $0.add(.closed(.left)) }
    }

    package func report(_ host: ChannelUpdate.HostReport) {
        gatherSoon { $0.add(.host(host)) }
    }
}
