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
///
/// Everything happens on the event loop, except where a method says that you can call it on any thread.
package final class ChannelServer: SessionChannel, TickObserver, Sendable {
    /// The number of outcomes that are collected in a tick for one write. More outcomes are written before the end of
    /// the tick.
    static let outcomesPerWrite = 64

    /// The number of the channel.
    package let number: UInt32
    /// The ID by which a client that comes back finds this server again. Nil if the client cannot come back.
    package let record: UInt64?
    let eventLoop: any EventLoop
    private let limits: ChannelLimits
    let core: LoopBound<Core>
    /// A copy of what the phase says, for other threads.
    private let visible = Locked<(session: Session?, isClosed: Bool)>((nil, false))

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
        let core = Core(
            state: state,
            source: StateSource(revision: state.revision, on: eventLoop, limits: limits, isShared: false),
            origins: OriginTable(opener: EventName.Origin(sender: sender, channel: number)),
            ledger: TurnLedger(released: state.released)
        )
        self.core = LoopBound(core, to: eventLoop.thread)
    }

    // MARK: The session

    /// The session in which the peer opened the channel. Nil while the peer is away. You can read it on any thread.
    package var session: Session? { visible.withLock(\.session) }

    /// A Boolean value that indicates whether the channel is permanently closed, so that no client can come back to it.
    /// You can read it on any thread.
    package var isClosed: Bool { visible.withLock(\.isClosed) }

    private func enter(_ phase: SessionPhase) {
        core.value.phase = phase
        let session = core.value.session
        let isClosed = if case .closed = phase { true } else { false }
        visible.withLock { $0 = (session, isClosed) }
    }

    /// Attaches the channel to a session in which `open` arrived. The session replaces an older one.
    package func link(to session: Session, by open: Open) {
        core.value.session?.detach(number)
        var known: Known?
        // A returning client cannot have more than was sent to it. The state that a coordinator has arrived with its
        // `open`.
        let isRemembered = record != nil && open.record == record && open.takesPatches
        let wasPublished =
            open.revision > 0 && open.revision >= core.value.firstRevision
            && open.revision <= core.value.state.published
        if core.value.state.isForwarding ? isRemembered && wasPublished : open.state != nil {
            known = Known(revision: open.revision, applied: min(open.resumeAfter, core.value.state.released))
        }
        core.value.state.takesPatches = open.takesPatches
        // A host that makes the state itself checks the size of the state itself.
        if core.value.state.isForwarding {
            core.value.maximumState = open.maximumState.map(Int.init) ?? FrameLimits.maximumState
        }
        core.value.preparing = nil
        core.value.explainedIncarnation = nil
        enter(.opening(session, known))
        session.attach(self, as: number)
    }

    /// Returns whether `open` arrived in this session and was not answered yet.
    package func isOpening(on session: Session) -> Bool {
        if case .opening(let present, _) = core.value.phase { present === session } else { false }
    }

    /// Answers `open`. From now on, `host` receives the events, and states are sent. Does nothing if `open` was
    /// answered.
    ///
    /// - Parameters:
    ///   - host: The host of the channel.
    ///   - status: The status of the feature's worker, for a client of a coordinator.
    package func answer(by host: any ChannelHost, status: HostStatusMessage? = nil) {
        guard case .opening(let session, let known) = core.value.phase else { return }
        core.value.host = host
        enter(.answering(session, Answer(known: known, host: status)))
        _ = publish()
        session.flushSoon()
    }

    /// Answers `open` with a refusal. Does nothing if another session has replaced this one, whose `open` is answered
    /// separately.
    package func refuse(_ refusal: OpenRefused, on session: Session) {
        guard isOpening(on: session), leave(session) else { return }
        session.sendControl(refusal, on: number)
        session.detach(number)
    }

    /// A Boolean value that indicates whether `open` was never answered, so that no event has arrived.
    package var isUntouched: Bool {
        core.value.host == nil && !core.value.source.isShared && core.value.state.received == 0
    }

    /// Detaches the channel from a session, because a newer session replaces it.
    package func unlink(from session: Session) {
        _ = leave(session)
        session.detach(number)
    }

    /// Leaves a session.
    ///
    /// - Returns: Whether it was the present session.
    func leave(_ session: Session) -> Bool {
        guard core.value.session === session else { return false }
        enter(.away)
        // When the client comes back, the host answers it again. Until then a reference to the host would be a retain
        // cycle that keeps everything that the host and the channel refer to.
        if core.value.state.isForwarding {
            core.value.host = nil
            core.value.causes = nil
        }
        return true
    }

    /// Handles the end of the session.
    package func sessionEnded(_ session: Session) {
        // Without its coordinator, a worker ends its running events. The events of a client continue without the
        // client.
        if leave(session), !core.value.state.isForwarding { close() }
    }

    // MARK: Receiving

    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .event: try receive(try EventMessage.Borrowed(decoding: body))
        case .cancel: try cancel(try CancelMessage(decoding: body))
        case .origin where core.value.state.isForwarding:
            throw .unexpected(kind, at: "a coordinator, which determines the senders of events itself")
        case .origin:
            core.value.origins.introduce(try OriginMessage(decoding: body))
        case .resync:
            _ = try ResyncMessage(decoding: body)
            core.value.state.resync()
            noteActivity()
        default:
            throw .unexpected(kind, at: "the side that serves its channel")
        }
    }

    /// Receives an event and starts it.
    private func receive(_ message: EventMessage.Borrowed) throws(WireError) {
        let event = message.event
        let name = try core.value.origins.name(of: message)
        noteActivity()
        if let (host, cancellation) = core.value.receive(event, limits) {
            let metadata = EventMetadata(message.context)
            let incoming = IncomingEvent(number: event, name: name, metadata: metadata, action: message.action)
            let start = host.start(incoming, for: self)
            finish(start, event, cancelled: cancellation)
        } else {
            // A duplicate or rejected event has an outcome, too.
            core.value.outcomesInTick += 1
        }
        guard core.value.outcomesInTick >= Self.outcomesPerWrite else { return }
        // In a long tick, the peer does not have to wait until the end of the tick.
        core.value.host?.release(self, atEndOfTick: false)
        if publish() { core.value.session?.flush() }
    }

    /// Records the result of starting an event.
    ///
    /// - Parameters:
    ///   - start: The result.
    ///   - event: The number of the event.
    ///   - cancellation: The cancellation of an event whose cancel arrived first, or nil.
    func finish(_ start: EventStart, _ event: UInt64, cancelled cancellation: WireCancellation? = nil) {
        let (running, forwarded): (any RunningEvent, UInt64?)
        switch start {
        case .ended(let outcome):
            core.value.outcomesInTick += 1
            return core.value.ledger.complete(event, outcome)
        case .completed:
            // The end is not published yet. Until then the event keeps its place among the running events.
            guard core.value.starting == event else { return }
            core.value.starting = nil
            core.value.running[event] = EndedEvent()
            return
        case .running(let event):
            (running, forwarded) = (event, nil)
        case .forwarded(let event, let number):
            (running, forwarded) = (event, number)
        }
        // If `starting` is nil, the event has already ended.
        guard core.value.starting.take() != nil else { return }
        core.value.running[event] = running
        if let forwarded { core.value.forward(event, as: forwarded) }
        if let cancellation { running.cancel(cancellation) }
    }

    private func cancel(_ message: CancelMessage) throws(WireError) {
        let event = message.event
        var cancellation = message.cancellation
        // A client cancels its own events, and cannot state another canceller.
        if core.value.state.isForwarding { cancellation.canceller = .sender }
        do throws(SessionError) {
            if try core.value.state.cancel(event: event, cancellation) {
                core.value.running[event]?.cancel(cancellation)
            }
        } catch {
            throw .session(error.detail)
        }
    }

    /// A Boolean value that indicates whether events are running.
    package var hasRunning: Bool { !core.value.running.isEmpty }

    /// Cancels all running events, for a reason in words. Each event still ends with its outcome.
    package func cancelRunning(reason: String) {
        let cancellation = WireCancellation(by: .closed, reason: reason)
        for running in Array(core.value.running.values) { running.cancel(cancellation) }
    }

    // MARK: Ending

    /// Closes the channel, because the peer left it or is permanently gone. Running events are cancelled, and their
    /// outcomes are sent.
    package func close() {
        core.value.host?.close(self)
        let running = core.value.running.sorted { $0.key < $1.key }
        core.value.running = [:]
        // An event that runs here was applied. A forwarded event may still wait.
        let stage = core.value.state.isForwarding ? WireCancellation.Stage.unknown : .whileRunning
        let cancellation = WireCancellation(by: .closed, stage: stage)
        for (event, _) in running { core.value.state.complete(event, .cancelled(cancellation)) }
        release(revision: nil)
        let session = publish() ? core.value.session : nil
        enter(.closed)
        core.value.host = nil
        core.value.causes = nil
        session?.flushSoon()
        for (_, event) in running { event.cancel(cancellation) }
        core.value.onPublished.take()?()
    }

    /// Closes the channel from this side. Running events are cancelled, and the peer receives the reason.
    package func end(_ reason: Closed) {
        let session = core.value.session
        close()
        session?.sendControl(reason, on: number)
        session?.detach(number)
    }

    /// Closes the channel, because a state cannot be sent to the peer. The owner of the session is notified to forget
    /// the channel.
    func endUnsendable(_ reason: Closed) {
        let session = core.value.session
        end(reason)
        if let session { session.loopState.value.handler?.session(session, left: number) }
    }

    /// Refuses `open`, because its answer cannot be sent, and notifies the owner of the session to forget the channel.
    /// Does nothing if the peer has left the channel or opened it again meanwhile.
    func refuseAnswer(_ refusal: OpenRefused, on session: Session) {
        guard case .answering(let present, _) = core.value.phase, present === session, leave(session) else { return }
        session.sendControl(refusal, on: number)
        session.detach(number)
        session.loopState.value.handler?.session(session, left: number)
    }

    // MARK: Ticks

    /// Requests a call of `release` at the end of the tick, because something may have changed or must be sent.
    package func noteActivity() {
        guard !core.value.isRegistered else { return }
        core.value.isRegistered = true
        eventLoop.atEndOfTick(self)
    }

    /// Requests a call of `release` at the end of the tick, because the session has room again.
    package func sessionDrained() {
        noteActivity()
    }

    /// Calls the host's `release`, and then publishes and writes everything that was released.
    package func tickEnded() {
        core.value.isRegistered = false
        let host = core.value.host
        host?.release(self, atEndOfTick: true)
        if publish() { core.value.session?.flush() }
        host?.tickEnded(self)
    }
}

/// An event that has ended and whose end is not published yet.
private struct EndedEvent: RunningEvent {
    func cancel(_ cancellation: WireCancellation) {}
}
