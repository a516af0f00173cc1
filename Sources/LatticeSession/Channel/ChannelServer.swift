import LatticeConcurrency
package import LatticeTransport
package import LatticeWire

/// The serving end of a channel: it receives events and sends states and outcomes, all as bytes.
///
/// The server passes events to its host and sends to the peer what the host releases: at once or later, but never
/// before. An event that the server rejects itself, because too many events run, does not reach the host, and its
/// rejection is sent at once. Cancels are passed on at any time. ``ChannelServerState`` makes all decisions.
///
/// In a coordinator, the server outlives the session. A client that comes back finds it unchanged.
package final class ChannelServer: SessionChannel, TickObserver, Sendable {
    /// The phase of the channel in its session.
    enum SessionPhase {
        /// The channel is in no session.
        case away
        /// `open` has arrived, and the host has not answered.
        case opening(Session, Known?)
        /// `opened` waits for room or for its state.
        case answering(Session, Answer)
        /// The channel is open in the session.
        case open(Session)
        /// The channel is permanently closed.
        case closed
    }

    /// A state that the peer already has, as stated in its `open`.
    struct Known {
        let revision: UInt64
        /// The highest event that is certainly contained in the state.
        let applied: UInt64
    }

    /// The part of `opened` that comes from the peer's `open` and from the host.
    struct Answer {
        let known: Known?
        var host: HostStatusMessage?
    }

    struct Core {
        var state: ChannelServerState
        var phase = SessionPhase.away
        var host: (any ChannelHost)?
        /// The log of the released state, if this channel does not share it.
        var log: StateLog
        /// The log of the state that is shared with other channels, or nil.
        var sharedLog: SharedStateLog?
        /// The job that prepares the state to be sent next, and the highest event that is contained in that state.
        var preparing: (job: StateJob, applied: UInt64)?
        var running: [UInt64: any RunningEvent] = [:]
        /// The named effects that have begun and ended, as of the newest released state, and that are not sent yet.
        var begunEffects: [EffectsMessage.Effect] = []
        var endedEffects: [UInt64] = []
        /// Called once everything has been published.
        var onPublished: (@Sendable () -> Void)?
        /// The event that was passed to the host last, unless it runs or was completed. Another thread may complete it
        /// before the host has returned.
        var starting: UInt64?
        /// The maximum size in bytes of a state that the peer accepts.
        var maximumState = Int.max
        /// The incarnation of the worker whose termination was explained last in this session.
        var explainedIncarnation: UInt64?
    }

    /// The number of outcomes that are collected in a tick for one write. More outcomes are written before the end of
    /// the tick.
    static let outcomesPerWrite = 64

    /// The number of the channel.
    package let number: UInt32
    /// The ID by which a client that comes back finds this server again. Nil if the client cannot come back.
    package let record: UInt64?
    let eventLoop: any EventLoop
    private let limits: ChannelLimits
    let core: Locked<Core>

    /// What belongs to the event loop. It is not inside `core`, because taking the lock for it took 1 % of the CPU of
    /// `lattice-bench session`.
    struct LoopState {
        var isRegistered = false
        var outcomesInTick = 0
        var origins: OriginTable
        var unreleased: UnreleasedEnds
        /// The named effects that have begun and ended and are sent with the next release.
        var unreleasedEffects: (begun: [EffectsMessage.Effect], ended: [UInt64])?
    }

    let loopState: LoopBound<LoopState>

    /// Creates the serving end of a channel.
    ///
    /// - Parameters:
    ///   - number: The number of the channel.
    ///   - state: The state machine of the channel.
    ///   - sender: The 16-byte identity of the process that opened the channel. It is the sender of events without an
    ///     explicit origin.
    ///   - record: The ID by which a client that comes back finds this server again, or nil.
    ///   - eventLoop: The event loop of the channel.
    ///   - limits: The limits on what the channel keeps in memory.
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
        let loopState = LoopState(
            origins: OriginTable(opener: EventName.Origin(sender: sender, channel: number)),
            unreleased: UnreleasedEnds(released: state.released)
        )
        self.loopState = LoopBound(loopState, to: eventLoop.thread)
        core = Locked(Core(state: state, log: StateLog(revision: state.revision, limits: limits)))
    }

    // MARK: The session

    /// The session in which the peer opened the channel. Nil while the peer is away.
    package var session: Session? { core.withLock(\.session) }

    /// Attaches the channel to a session in which `open` arrived. The session replaces an older one. Call it on the
    /// event loop.
    package func link(to session: Session, by open: Open) {
        let older = core.withLock { core in
            defer { core.open(open, on: session, record: record) }
            return core.session
        }
        older?.detach(number)
        session.attach(self, as: number)
    }

    /// Returns whether `open` arrived in this session and was not answered yet.
    package func isOpening(on session: Session) -> Bool {
        core.withLock { $0.isOpening(on: session) }
    }

    /// Answers `open`. From now on, `host` receives the events, and states are sent. You can call it on any thread.
    ///
    /// - Parameters:
    ///   - host: The host of the channel.
    ///   - status: The status of the feature's worker, for a client of a coordinator.
    package func answer(by host: any ChannelHost, status: HostStatusMessage? = nil) {
        flushSoon(core.withLock { $0.answer(by: host, status, as: self) })
    }

    /// Answers `open` on a channel that shares its state with other channels. You can call it on any thread.
    ///
    /// - Parameters:
    ///   - host: The host of the channel.
    ///   - session: The session in which `open` arrived. If another session has replaced it, this function does not
    ///     answer. The other session's `open` is answered separately.
    ///   - log: The log of the shared state.
    ///   - number: The forwarded number up to which events are contained in the state.
    ///   - status: The status of the feature's worker, for a client of a coordinator.
    package func answer(
        by host: any ChannelHost,
        on session: Session,
        showing log: SharedStateLog,
        throughForwarded number: UInt64,
        status: HostStatusMessage? = nil
    ) {
        let followUp = core.withLock { core in
            core.show(log)
            core.state.release(revision: log.revision, throughForwarded: number)
            return core.answer(by: host, status, on: session, as: self)
        }
        flushSoon(followUp)
    }

    /// Answers `open` with a refusal. You can call it on any thread.
    package func refuse(_ refusal: OpenRefused, on session: Session) {
        guard core.withLock({ $0.isOpening(on: session) && $0.leave(session) }) else { return }
        session.sendControl(refusal, on: number)
        eventLoop.perform { [number] in session.detach(number) }
    }

    /// A Boolean value that indicates whether `open` was never answered, so that no event has arrived.
    package var isUntouched: Bool {
        core.withLock { $0.host == nil && $0.sharedLog == nil && $0.state.received == 0 }
    }

    /// Detaches the channel from a session, because a newer session replaces it. Call it on the event loop.
    package func unlink(from session: Session) {
        _ = core.withLock { $0.leave(session) }
        session.detach(number)
    }

    /// Handles the end of the session. Call it on the event loop.
    package func sessionEnded(_ session: Session) {
        // Without its coordinator, a worker ends its running events. The events of a client continue without the
        // client.
        if core.withLock({ $0.leave(session) && !$0.state.isForwarding }) { close() }
    }

    /// Sends the status of the feature's worker to the peer. You can call it on any thread.
    package func report(_ status: HostStatusMessage) {
        let session = core.withLock { core -> Session? in
            switch core.phase {
            case .answering(let session, var answer):
                answer.host = status
                core.phase = .answering(session, answer)
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

    /// Sends details of a worker termination to a connected client. You can call it on any thread.
    ///
    /// The details are sent once for each incarnation and session.
    ///
    /// - Parameters:
    ///   - incarnation: The incarnation that terminated.
    ///   - again: Whether to send the details again, because they have changed.
    ///   - message: Makes the message. Not called if nothing is sent.
    package func explain(incarnation: UInt64, again: Bool, _ message: () -> CrashReportMessage) {
        let session = core.withLock { core -> Session? in
            guard case .open(let session) = core.phase, again || core.explainedIncarnation != incarnation else {
                return nil
            }
            core.explainedIncarnation = incarnation
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
            loopState.value.origins.introduce(try OriginMessage(decoding: body))
        case .resync:
            _ = try ResyncMessage(decoding: body)
            core.withLock { $0.state.resync() }
            noteActivity()
        default:
            throw .unexpected(kind, at: "the side that serves its channel")
        }
    }

    /// Receives an event and starts it.
    private func receive(_ message: EventMessage.Borrowed) throws(WireError) {
        let event = message.event
        let name = try loopState.value.origins.name(of: message)
        let receipt = core.withLock { $0.receive(event, limits, unreleased: loopState.value.unreleased.count) }
        noteActivity()
        if let (host, isCancelled) = receipt {
            let metadata = EventMetadata(message.context)
            let incoming = IncomingEvent(number: event, name: name, metadata: metadata, action: message.action)
            let start = host.start(incoming, for: self)
            finish(start, event, isCancelled: isCancelled)
        } else {
            // A duplicate or rejected event has an outcome, too.
            loopState.value.outcomesInTick += 1
        }
        guard loopState.value.outcomesInTick >= Self.outcomesPerWrite else { return }
        // In a long tick, the peer does not have to wait until the end of the tick.
        core.withLock(\.host)?.release(self, atEndOfTick: false)
        publish()?.flush()
    }

    /// Records the result of starting an event.
    func finish(_ start: EventStart, _ event: UInt64, isCancelled: Bool = false) {
        let (running, forwarded): (any RunningEvent, UInt64?)
        switch start {
        case .ended(let outcome):
            loopState.value.outcomesInTick += 1
            return loopState.value.unreleased.complete(event, outcome)
        case .completed:
            core.withLock { core in
                // The end is not published yet. Until then the event keeps its place among the running events.
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
            // If `starting` is nil, the event has already ended.
            guard core.starting.take() != nil else { return }
            core.running[event] = running
            if let forwarded { core.forward(event, as: forwarded) }
        }
        if isCancelled { running.cancel() }
    }

    /// Records the number under which a running event was forwarded to the worker. The host may have held the event
    /// back before, and forwards events in their order. Call it on the event loop.
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

    /// Closes the channel, because the peer left it or is permanently gone. Running events are cancelled, and their
    /// outcomes are sent. Call it on the event loop.
    package func close() {
        let host = core.withLock(\.host)
        host?.close(self)
        let (running, followUp) = core.withLock { core in
            let running = core.running.sorted { $0.key < $1.key }
            core.running = [:]
            for (event, _) in running { core.state.complete(event, .cancelled) }
            core.state.release(&loopState.value.unreleased)
            var followUp = core.publish(as: self)
            core.phase = .closed
            core.host = nil
            if let onPublished = core.onPublished.take() { followUp.call(onPublished) }
            return (running.map(\.value), followUp)
        }
        followUp.session?.flushSoon()
        for event in running { event.cancel() }
        followUp.onPublished?()
    }

    /// Closes the channel from this side. Running events are cancelled, and the peer receives the reason. On the event
    /// loop.
    package func end(_ reason: Closed) {
        let session = session
        close()
        session?.sendControl(reason, on: number)
        session?.detach(number)
    }

    /// Closes the channel, because a state cannot be sent to the peer. The owner of the session is notified to forget
    /// the channel. Call it on the event loop.
    func endUnsendable(_ reason: Closed) {
        let session = session
        end(reason)
        if let session { session.loopState.value.handler?.session(session, left: number) }
    }

    /// Notifies the owner of the session to forget the channel, because `open` was refused instead of answered. Does
    /// nothing if the peer has left the channel or opened it again meanwhile. Call it on the event loop.
    func wasRefused(on session: Session) {
        guard session.loopState.value.multiplexer[number] === self, self.session == nil else { return }
        session.detach(number)
        session.loopState.value.handler?.session(session, left: number)
    }

    /// A Boolean value that indicates whether the channel is permanently closed, so that no client can come back to it.
    package var isClosed: Bool {
        core.withLock { core in
            if case .closed = core.phase { true } else { false }
        }
    }
}

/// An event that has ended and whose end is not published yet.
private struct EndedEvent: RunningEvent {
    func cancel() {}
}
