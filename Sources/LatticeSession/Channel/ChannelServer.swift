import LatticeConcurrency
package import LatticeTransport
package import LatticeWire

/// The end of a channel that serves it, as bytes: events come, states and outcomes go out.
///
/// It hands events to its host, and tells the other side what that releases: at once or later, never before; what it
/// rejects itself, because too much runs, has met no host and is told at once. Cancels pass at any time. What it does
/// is decided by ``ChannelServerState``. In a coordinator it outlives the session: a client that comes back finds it as
/// it was.
package final class ChannelServer: SessionChannel, TickObserver, @unchecked Sendable {
    // What is below "The event loop's own" is touched there only; all else is `let` or inside `core`.

    /// How far the channel is with the session that it is on.
    enum Link {
        /// There is none.
        case away
        /// `open` came, and the host has not answered.
        case opening(Session, Known?)
        /// `opened` waits for room, or for its state.
        case answering(Session, Answer)
        case open(Session)
        case closed
    }

    /// A state that the other side has, as it said in `open`.
    struct Known {
        let revision: UInt64
        /// The highest event that is in it for certain.
        let applied: UInt64
    }

    /// What `opened` says besides what is known here.
    struct Answer {
        let known: Known?
        var host: HostStatusMessage?
    }

    struct Core {
        var state: ChannelServerState
        var link = Link.away
        var host: (any ChannelHost)?
        /// The released state, if this channel alone tells of it.
        var log: StateLog
        /// The state that others tell of too.
        var sharedLog: SharedStateLog?
        /// What is at work for the state that is told next, and the highest event in that.
        var preparing: (job: StateJob, applied: UInt64)?
        var running: [UInt64: any RunningEvent] = [:]
        /// Which effects with names have begun and ended, as of the newest state that was released.
        var begunEffects: [EffectsMessage.Effect] = []
        var endedEffects: [UInt64] = []
        /// Called once nothing is left to be told.
        var onTold: (@Sendable () -> Void)?
        /// The event that was handed to the host last, unless it runs or was completed: on another thread it may be
        /// before the host has answered.
        var starting: UInt64?
        /// The size in bytes of the largest state that the other side takes.
        var maximumState = Int.max
        /// The life of a worker whose end was told last in this session.
        var explainedLife: UInt64?
    }

    /// What is left to do outside the lock when something was to be told.
    struct Telling {
        /// What there seldom is. A reference: to pass all of it on for each state took 8 % of the main actor's CPU in
        /// `latticectl bench session --only deliveries`.
        private final class Rest: Sendable {
            let job: StateJob?
            let isInBackground: Bool
            let told: (@Sendable () -> Void)?

            init(_ job: StateJob?, inBackground: Bool, _ told: (@Sendable () -> Void)?) {
                (self.job, isInBackground, self.told) = (job, inBackground, told)
            }
        }

        /// Whether something has to be written.
        var isDue = false
        /// Where that is, if it was asked for.
        var session: Session?
        private var rest: Rest?

        /// Whether there is more to do than to write.
        var hasMore: Bool { rest != nil }
        /// What has to be done before the state can be told.
        var job: StateJob? { rest?.job }
        /// Whether that is done on another thread: others tell of the state too, or it is large.
        var isInBackground: Bool { rest?.isInBackground ?? false }
        /// Called, since nothing is left to be told.
        var told: (@Sendable () -> Void)? { rest?.told }

        mutating func prepare(_ job: StateJob, inBackground: Bool) {
            rest = Rest(job, inBackground: inBackground, told)
        }

        mutating func call(_ told: @escaping @Sendable () -> Void) {
            rest = Rest(job, inBackground: isInBackground, told)
        }
    }

    /// So many outcomes are gathered in a tick for one write.
    static let outcomesPerWrite = 64

    package let number: UInt32
    /// Names this end to a client, who comes back to it by that name; nil for one that cannot come back.
    package let record: UInt64?
    let eventLoop: any EventLoop
    private let limits: ChannelLimits
    let core: Locked<Core>

    // MARK: The event loop's own

    // Unchecked: checks of exclusive access at run time took 3 % of the CPU of `latticectl bench session`.
    @exclusivity(unchecked) var isRegistered = false
    @exclusivity(unchecked) var outcomesInTick = 0
    @exclusivity(unchecked) private var origins: OriginTable
    // Here and not beside what other threads change: the lock that this saves was 1 % of the same.
    @exclusivity(unchecked) var unreleased: UnreleasedEnds
    /// Which effects with names have begun and ended, to be told with the next release.
    var unreleasedEffects: (begun: [EffectsMessage.Effect], ended: [UInt64])?

    /// - Parameters:
    ///   - sender: The 16 bytes of who opened the channel: where events come from that say nothing else.
    ///   - record: What a client comes back to this end by.
    package init(
        number: UInt32,
        state: ChannelServerState,
        sender: UInt128,
        record: UInt64? = nil,
        eventLoop: any EventLoop,
        limits: ChannelLimits = ChannelLimits()
    ) {
        self.number = number
        self.record = record
        self.eventLoop = eventLoop
        self.limits = limits
        origins = OriginTable(opener: EventName.Origin(sender: sender, channel: number))
        unreleased = UnreleasedEnds(released: state.released)
        core = Locked(Core(state: state, log: StateLog(revision: state.revision, limits: limits)))
    }

    // MARK: The session

    /// The session on which the other side opened the channel; nil while it is away.
    package var session: Session? { core.withLock(\.session) }

    /// `open` came on this session, which takes the place of an older one. On the event loop.
    package func link(to session: Session, by open: Open) {
        let older = core.withLock { core in
            defer { core.open(open, on: session, record: record) }
            return core.session
        }
        older?.detach(number)
        session.attach(self, as: number)
    }

    /// Whether `open` came on this session and was not answered.
    package func isOpening(on session: Session) -> Bool {
        core.withLock { $0.isOpening(on: session) }
    }

    /// Answers `open`: from now on `host` gets the events, and the state is told. Any thread.
    ///
    /// - Parameter status: How the feature is, for who watches it through a coordinator.
    package func answer(by host: any ChannelHost, status: HostStatusMessage? = nil) {
        flushSoon(core.withLock { $0.answer(by: host, status, as: self) })
    }

    /// The same for a state that others tell of too, and which contains what was sent on up to `number`.
    ///
    /// - Parameter session: On which `open` came. One that came later, on another session, is left to whoever serves
    ///   that session, who begins to show the states with the answer.
    package func answer(
        by host: any ChannelHost,
        on session: Session,
        showing log: SharedStateLog,
        throughForwarded number: UInt64,
        status: HostStatusMessage? = nil
    ) {
        let telling = core.withLock { core in
            core.show(log)
            core.state.release(revision: log.revision, throughForwarded: number)
            return core.answer(by: host, status, on: session, as: self)
        }
        flushSoon(telling)
    }

    /// Answers `open` with a refusal. Any thread.
    package func refuse(_ refusal: OpenRefused, on session: Session) {
        guard core.withLock({ $0.isOpening(on: session) && $0.leave(session) }) else { return }
        session.sendControl(refusal, on: number)
        eventLoop.perform { [number] in session.detach(number) }
    }

    /// Whether it has never been answered: nothing has come on it.
    package var isUntouched: Bool {
        core.withLock { $0.host == nil && $0.sharedLog == nil && $0.state.received == 0 }
    }

    /// A newer session takes the place of this one. On the event loop.
    package func unlink(from session: Session) {
        _ = core.withLock { $0.leave(session) }
        session.detach(number)
    }

    /// The session is over. On the event loop.
    package func sessionEnded(_ session: Session) {
        // A worker that lost its coordinator has nobody to work for; the events of a client go on without it.
        if core.withLock({ $0.leave(session) && !$0.state.isForwarding }) { close() }
    }

    /// Tells the other side how the feature is. Any thread.
    package func report(_ status: HostStatusMessage) {
        let session = core.withLock { core -> Session? in
            switch core.link {
            case .answering(let session, var answer):
                answer.host = status
                core.link = .answering(session, answer)
                return nil
            case .open(let session):
                session.append { $0.addControl(status, on: number) }
                return session
            case .away, .opening, .closed:
                return nil
            }
        }
        session?.flushSoon()
    }

    /// Tells a client that is there what is known of the end of a worker: once for each life and session, unless
    /// something new is said. Any thread.
    package func explain(life: UInt64, again: Bool, _ message: () -> CrashReportMessage) {
        let session = core.withLock { core -> Session? in
            guard case .open(let session) = core.link, again || core.explainedLife != life else { return nil }
            core.explainedLife = life
            session.append { $0.addControl(message(), on: number) }
            return session
        }
        session?.flushSoon()
    }

    // MARK: Receiving

    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .event: try receive(try EventMessage.Borrowed(decoding: body))
        case .cancel: try cancel(try CancelMessage(decoding: body).event)
        case .origin:
            origins.introduce(try OriginMessage(decoding: body))
        case .resync:
            _ = try ResyncMessage(decoding: body)
            core.withLock { $0.state.resync() }
            noteActivity()
        default:
            throw .unexpected(kind, at: "the side that serves its channel")
        }
    }

    private func receive(_ message: EventMessage.Borrowed) throws(WireError) {
        let event = message.event
        let name = try origins.name(of: message)
        let receipt = core.withLock { $0.receive(event, limits, unreleased: unreleased.count) }
        noteActivity()
        if let (host, isCancelled) = receipt {
            let terms = EventMetadata(message.context)
            let incoming = IncomingEvent(number: event, name: name, terms: terms, action: message.action)
            let start = host.start(incoming, for: self)
            finish(start, event, isCancelled: isCancelled)
        } else {
            // A duplicate or a rejected one has an outcome too.
            outcomesInTick += 1
        }
        guard outcomesInTick >= Self.outcomesPerWrite else { return }
        // A long tick does not keep the other side waiting for its end.
        core.withLock(\.host)?.release(self, atEndOfTick: false)
        publish()?.flush()
    }

    func finish(_ start: EventStart, _ event: UInt64, isCancelled: Bool = false) {
        let (running, forwarded): (any RunningEvent, UInt64?)
        switch start {
        case .ended(let outcome):
            outcomesInTick += 1
            return unreleased.complete(event, outcome)
        case .completed:
            core.withLock { core in
                // Not told yet: until then it has its place among those that run.
                guard core.starting == event else { return }
                core.starting = nil
                core.running[event] = EndedEvent()
            }
            return
        case .running(let event):
            (running, forwarded) = (event, nil)
        case .forwarded(let event, let number):
            (running, forwarded) = (event, number)
        }
        core.withLock { core in
            // Without it the event has ended already.
            guard core.starting.take() != nil else { return }
            core.running[event] = running
            if let forwarded { core.forward(event, as: forwarded) }
        }
        if isCancelled { running.cancel() }
    }

    /// A running event was sent on under this number, after its host had kept it for a while: behind those that came
    /// before it. On the event loop.
    package func forwarded(_ event: UInt64, as number: UInt64) {
        core.withLock { if $0.running[event] != nil { $0.forward(event, as: number) } }
    }

    private func cancel(_ event: UInt64) throws(WireError) {
        do throws(SessionError) {
            let running = try core.withLock { core throws(SessionError) -> (any RunningEvent)? in
                try core.state.cancel(event: event) ? core.running[event] : nil
            }
            running?.cancel()
        } catch {
            throw .session(error.detail)
        }
    }

    // MARK: Ending

    /// The other side has left the channel, or is gone for good: what runs is cancelled, and that is told. On the event
    /// loop.
    package func close() {
        let host = core.withLock(\.host)
        host?.close(self)
        let (running, telling) = core.withLock { core in
            let running = core.running.sorted { $0.key < $1.key }
            core.running = [:]
            for (event, _) in running { core.state.complete(event, .cancelled) }
            core.state.release(&unreleased)
            var telling = core.publish(as: self)
            core.link = .closed
            core.host = nil
            if let told = core.onTold.take() { telling.call(told) }
            return (running.map(\.value), telling)
        }
        telling.session?.flushSoon()
        for event in running { event.cancel() }
        telling.told?()
    }

    /// This side lets go of the channel: what runs is cancelled, and the other side hears why. On the event loop.
    package func end(_ reason: Closed) {
        let session = session
        close()
        session?.sendControl(reason, on: number)
        session?.detach(number)
    }

    /// The other side takes no state of this size: as `end`, and who has the session lets go of the channel too.
    func endForSize(_ reason: Closed) {
        let session = session
        end(reason)
        if let session { session.handler?.session(session, left: number) }
    }

    /// `open` was refused in place of its answer, and whoever has the session lets go of the channel too, unless the
    /// other side has left it or opened it again meanwhile. On the event loop.
    func wasRefused(on session: Session) {
        guard session.multiplexer[number] === self, self.session == nil else { return }
        session.detach(number)
        session.handler?.session(session, left: number)
    }

    /// Whether it serves nobody any more, not even one who comes back.
    package var isClosed: Bool {
        core.withLock { core in
            if case .closed = core.link { true } else { false }
        }
    }
}

/// An event that has ended, and whose end is still to be told.
private struct EndedEvent: RunningEvent {
    func cancel() {}
}
