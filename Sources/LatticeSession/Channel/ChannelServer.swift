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
        case opening(Session)
        /// `opened` waits for room.
        case answering(Session, Answer)
        case open(Session)
        case closed
    }

    /// What `opened` says besides what is known here.
    struct Answer {
        /// Whether the other side knows the state, since it has sent it.
        let isStateKnown: Bool
        var host: HostStatusMessage?
    }

    struct Core {
        var state: ChannelServerState
        var link = Link.away
        var host: (any ChannelHost)?
        /// The released state.
        var payload: [UInt8] = []
        var running: [UInt64: any RunningEvent] = [:]
        /// The event that was handed to the host last, unless it runs or was completed: on another thread it may be
        /// before the host has answered.
        var starting: UInt64?
    }

    /// So many outcomes are gathered in a tick for one write.
    private static let outcomesPerWrite = 64

    package let number: UInt32
    /// Names this end to a client, who comes back to it by that name; nil for one that cannot come back.
    package let record: UInt64?
    private let eventLoop: any EventLoop
    private let limits: ChannelLimits
    private let core: Locked<Core>

    // MARK: The event loop's own

    // Unchecked: checks of exclusive access at run time took 3 % of the CPU of `latticectl bench session`.
    @exclusivity(unchecked) private var isRegistered = false
    @exclusivity(unchecked) private var outcomesInTick = 0
    @exclusivity(unchecked) private var origins: OriginTable
    // Here and not beside what other threads change: the lock that this saves was 1 % of the same.
    @exclusivity(unchecked) private var unreleased: UnreleasedEnds

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
        core = Locked(Core(state: state))
    }

    // MARK: The session

    /// The session on which the other side opened the channel; nil while it is away.
    package var session: Session? { core.withLock(\.session) }

    /// `open` came on this session, which takes the place of an older one. On the event loop.
    package func link(to session: Session) {
        let older = core.withLock { core in
            defer { core.link = .opening(session) }
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
    /// - Parameters:
    ///   - isStateKnown: Whether the released state is the one that came with `open`.
    ///   - status: How the feature is, for who watches it through a coordinator.
    ///   - update: Called under the lock before: brings the state up to date.
    package func answer(
        by host: any ChannelHost,
        isStateKnown: Bool = false,
        status: HostStatusMessage? = nil,
        update: (inout ChannelServerState, inout [UInt8]) -> Void = { _, _ in }
    ) {
        let session = core.withLock { core -> Session? in
            guard case .opening(let session) = core.link else { return nil }
            core.host = host
            update(&core.state, &core.payload)
            core.link = .answering(session, Answer(isStateKnown: isStateKnown, host: status))
            _ = core.publish(as: self)
            return session
        }
        session?.flushSoon()
    }

    /// Answers `open` with a refusal. Any thread.
    package func refuse(_ refusal: OpenRefused, on session: Session) {
        guard core.withLock({ $0.isOpening(on: session) && $0.leave(session) }) else { return }
        session.sendControl(refusal, on: number)
        eventLoop.perform { [number] in session.detach(number) }
    }

    /// Whether it has never been answered: nothing has come on it.
    package var isUntouched: Bool { core.withLock { $0.host == nil && $0.state.received == 0 } }

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

    // MARK: Receiving

    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .event: try receive(try EventMessage.Borrowed(decoding: body))
        case .cancel: try cancel(try CancelMessage(decoding: body).event)
        case .origin:
            origins.introduce(try OriginMessage(decoding: body))
        default:
            throw .unexpected(kind, at: "the side that serves its channel")
        }
    }

    private func receive(_ message: EventMessage.Borrowed) throws(WireError) {
        let event = message.event
        let name = try origins.name(of: message)
        let receipt = core.withLock { $0.receive(event, limits, unreleased: unreleased.count) }
        noteActivity()
        guard let (host, isCancelled) = receipt else { return }
        let start = host.start(IncomingEvent(number: event, name: name, action: message.action), for: self)
        finish(start, event, isCancelled: isCancelled)
        guard outcomesInTick >= Self.outcomesPerWrite else { return }
        // A long tick does not keep the other side waiting for its end.
        host.release(self, atEndOfTick: false)
        publish()?.flush()
    }

    private func finish(_ start: EventStart, _ event: UInt64, isCancelled: Bool = false) {
        let (running, forwarded): (any RunningEvent, UInt64?)
        switch start {
        case .ended(let outcome):
            outcomesInTick += 1
            return unreleased.complete(event, outcome)
        case .completed:
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
            guard let forwarded else { return }
            let count = core.running.count
            core.state.forward(event, as: forwarded, isRunning: { core.running[$0] != nil }, running: count)
        }
        if isCancelled { running.cancel() }
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

    // MARK: What hosts say

    /// A running event has ended. For a host that releases at the end of a tick, on the event loop.
    package func complete(_ event: UInt64, _ outcome: WireOutcome) {
        if core.withLock({ $0.remove(event) }) { unreleased.complete(event, outcome) }
        outcomesInTick += 1
        noteActivity()
    }

    /// A running event has ended, and that may be told, with what is applied. For hosts that release at once, anywhere.
    package func completeAndRelease(_ event: UInt64, _ outcome: WireOutcome) {
        let session = core.withLock { core -> Session? in
            if core.remove(event) { core.state.complete(event, outcome) }
            core.state.release()
            return core.publish(as: self)
        }
        session?.flushSoon()
    }

    /// Something may have changed, or has to be told: there will be an end of the tick. On the event loop.
    package func noteActivity() {
        guard !isRegistered else { return }
        isRegistered = true
        eventLoop.atEndOfTick(self)
    }

    /// The state that an encoding has just given, and all that happened so far, may be told. On the event loop.
    ///
    /// - Parameter state: Gets the bytes of the state before, whose memory may be used again, unless it is the same.
    package func release(_ state: inout [UInt8]) {
        core.withLock { core in
            let isNew = state != core.payload
            if isNew { swap(&state, &core.payload) }
            core.state.release(&unreleased, isNewState: isNew)
        }
    }

    /// All that happened so far may be told; the state is the one of the last release. On the event loop.
    package func releaseUnchanged() {
        core.withLock { $0.state.release(&unreleased, isNewState: false) }
    }

    /// The state with this number, which contains what was sent on up to `number`, may be told. For hosts that release
    /// at once. Without writing. Any thread.
    ///
    /// - Parameter frame: The state, for this channel and others; nil: the one before.
    /// - Returns: Whether something has to be written.
    package func release(_ frame: inout StateFrame?, revision: UInt64, throughForwarded number: UInt64) -> Bool {
        core.withLock { core in
            if let frame { core.payload = frame.state }
            core.state.release(revision: revision, throughForwarded: number)
            return core.publish(as: self, frame: &frame) != nil
        }
    }

    /// What is known of the events, and which of them run.
    package var remembered: (state: ChannelServerState, running: [UInt64]) {
        core.withLock { ($0.state, $0.running.keys.sorted()) }
    }

    /// The bytes of the newest state that was released.
    package var releasedState: [UInt8] { core.withLock(\.payload) }

    /// Whether a state would go out rather than wait behind an older one. If not, there will be an end of a tick once
    /// it would.
    package func hasRoom() -> Bool {
        session?.canPublish(on: number) ?? false
    }

    /// Whether all that was told is in the socket. If not, there will be an end of a tick once it is.
    package func hasWritten() -> Bool {
        session?.hasWritten(on: number) ?? false
    }

    /// Whether a released state waits for room.
    package var hasStateToTell: Bool { core.withLock(\.state.isDirty) }

    /// Whether nothing runs, and nothing is left to be told. On the event loop.
    package var isIdle: Bool {
        core.withLock { core in
            if case .answering = core.link { return false }
            return core.running.isEmpty && unreleased.count == 0 && core.state.hasNothingToTell
        }
    }

    /// Cancels what runs now; each event still ends with its outcome.
    package func cancelRunning() {
        for running in core.withLock({ Array($0.running.values) }) { running.cancel() }
    }

    // MARK: Taking back

    /// The events that were applied since the last release are taken back, to be applied again or to fail: nobody has
    /// heard how they ended, or will. For hosts that release at the end of a tick, on the event loop.
    ///
    /// - Parameter events: Their numbers.
    /// - Returns: Those that ran, and the numbers of those that had ended cancelled. Rejected ones stay rejected.
    package func withdraw(_ events: [UInt64]) -> (running: [(UInt64, any RunningEvent)], cancelled: [UInt64]) {
        // Without a place among those that run, its end counts for nothing.
        let running = core.withLock { core in
            events.compactMap { event in core.running.removeValue(forKey: event).map { (event, $0) } }
        }
        return (running, unreleased.withdraw())
    }

    /// What was to end well and is unreleased has failed.
    package func failUnreleased(_ outcome: WireOutcome) {
        unreleased.fail(outcome)
    }

    /// An event that was taken back has been started once more.
    package func restart(_ event: UInt64, _ start: EventStart) {
        if case .running = start { core.withLock { $0.starting = event } }
        finish(start, event)
    }

    // MARK: Telling

    package func sessionDrained() {
        noteActivity()
    }

    package func tickEnded() {
        isRegistered = false
        let host = core.withLock(\.host)
        host?.release(self, atEndOfTick: true)
        publish()?.flush()
        host?.tickEnded(self)
    }

    /// - Returns: Where something has to be written.
    private func publish() -> Session? {
        outcomesInTick = 0
        return core.withLock { $0.publish(as: self) }
    }

    // MARK: Ending

    /// The other side has left the channel, or is gone for good: what runs is cancelled, and that is told. On the event
    /// loop.
    package func close() {
        let host = core.withLock(\.host)
        host?.close(self)
        let (running, session) = core.withLock { core in
            let running = core.running.sorted { $0.key < $1.key }
            core.running = [:]
            for (event, _) in running { core.state.complete(event, .cancelled) }
            core.state.release(&unreleased, isNewState: false)
            let session = core.publish(as: self)
            core.link = .closed
            core.host = nil
            return (running.map(\.value), session)
        }
        session?.flushSoon()
        for event in running { event.cancel() }
    }

    /// This side lets go of the channel: what runs is cancelled, and the other side hears why. On the event loop.
    package func end(_ reason: Closed) {
        let session = session
        close()
        session?.sendControl(reason, on: number)
        session?.detach(number)
    }

    /// Whether it serves nobody any more, not even one who comes back.
    package var isClosed: Bool {
        core.withLock { core in
            if case .closed = core.link { true } else { false }
        }
    }
}
