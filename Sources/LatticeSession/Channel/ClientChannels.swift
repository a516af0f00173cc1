import LatticeConcurrency
package import LatticeTransport
package import LatticeWire

/// The owner of the sessions of ``ClientChannels``. All functions are called on the event loop.
package protocol SessionOwner: AnyObject, Sendable {
    /// Notifies the owner that a handshake has finished.
    func opened(_ session: Session, to peer: Handshake.Peer)
    /// Notifies the owner that the peer has finished all running work.
    func drained()
    /// Notifies the owner that the peer has not answered for this time. The session is not given up yet.
    func unanswered(_ session: Session, for silence: Duration)
    /// Notifies the owner that the peer has answered again after a silence.
    func answeredAgain(_ session: Session)
    /// Notifies the owner of a problem that keeps the peer from working, as the peer reports it with an answer. Nil
    /// means that the problem is solved.
    func hasProblem(_ problem: String?, _ session: Session)
    /// Returns whether the session must be kept although the peer does not answer.
    func excusesSilence(_ session: Session) -> Bool
    /// Notifies the owner that a session ended, before or after its handshake. It is not always the newest session.
    func closed(_ session: Session, error: SessionError?)
}

extension SessionOwner {
    /// Does nothing.
    package func drained() {}
    /// Does nothing.
    package func unanswered(_ session: Session, for silence: Duration) {}
    /// Does nothing.
    package func answeredAgain(_ session: Session) {}
    /// Does nothing.
    package func hasProblem(_ problem: String?, _ session: Session) {}
    /// Returns false: a silent session is given up.
    package func excusesSilence(_ session: Session) -> Bool { false }
}

/// The channels that this side has opened at one server. They outlive the session and are opened again in the next one.
package final class ClientChannels: SessionHandler {
    private struct Core {
        weak var owner: (any SessionOwner)?
        var channels: [UInt32: ChannelClient] = [:]
        var session: Session?
        var lastNumber: UInt32 = 0
        /// The peer of the session.
        var peer: Handshake.Peer?
        /// The channels that are not yet opened on the session.
        var pending: Set<UInt32> = []
        /// The last status report, which each new channel receives.
        var host: ChannelUpdate.HostReport?
        /// The events that were in flight when the last session ended.
        var inFlight: [PoisonIsolation.Event] = []
        /// The state of isolated retry. While it contains isolated events, events are sent one at a time.
        var isolation = PoisonIsolation()
        /// Called when everything that was sent has ended. Nothing more is sent until `resume`. Nil if the channels are
        /// not paused.
        var onQuiet: (@Sendable () -> Void)?
        /// The reason why no peer will answer until `revive`. Nil if the channels are not closed.
        var end: (reason: ChannelEnd, interruption: WireOutcome)?

        /// The channels to open, by ascending numbers. Nil if there are none, or if there is no session.
        var waiting: (channels: [ChannelClient], session: Session, peer: Handshake.Peer)? {
            guard let session, let peer, !pending.isEmpty else { return nil }
            return (pending.sorted().compactMap { channels[$0] }, session, peer)
        }
    }

    /// The event loop of the channels.
    package let eventLoop: any EventLoop
    private let side: SessionSide
    private let core: Locked<Core>

    /// Creates an object without channels.
    ///
    /// - Parameters:
    ///   - eventLoop: The event loop of the channels.
    ///   - side: The side of this process in all sessions. It determines whether channel numbers are odd or even.
    package init(eventLoop: any EventLoop, as side: SessionSide) {
        self.eventLoop = eventLoop
        self.side = side
        core = Locked(Core())
    }

    /// Sets the owner of the sessions, which is not retained. Must be called once, before the first session.
    package func connect(_ owner: any SessionOwner) {
        core.withLock { $0.owner = owner }
    }

    /// Creates a channel and opens it in the present session, or in the next one if there is none. You can call it on
    /// any thread.
    ///
    /// - Parameter make: Creates the channel with this number.
    package func makeChannel(_ make: (UInt32) -> ChannelClient) -> ChannelClient {
        let channel = core.withLock { core in
            core.lastNumber = side.channel(after: core.lastNumber)
            let channel = make(core.lastNumber)
            core.channels[channel.number] = channel
            core.pending.insert(channel.number)
            // Called under the lock, so that the next report comes after this one.
            if let host = core.host { channel.report(host) }
            if let end = core.end { channel.close(end.reason, interruption: end.interruption) }
            if core.isolation.first != nil { channel.hold(proceed) }
            if core.onQuiet != nil { channel.pause(proceed) }
            return channel
        }
        eventLoop.execute { [self] in openPending() }
        return channel
    }

    /// Opens all channels that are not open yet. On the event loop, so that calls do not overlap.
    ///
    /// Channels are opened in ascending order of their numbers, although a thread may get here before another one with
    /// a lower number. A channel with a long preparation therefore delays the channels after it.
    private func openPending() {
        guard let (channels, session, peer) = core.withLock(\.waiting) else { return }
        var opens = true
        for channel in channels {
            // Called even after a channel that is not ready, so that several channels prepare at the same time.
            opens = channel.prepareToOpen { [weak self] in self?.openPending() } && opens
            guard opens else { continue }
            _ = core.withLock { $0.pending.remove(channel.number) }
            session.attach(channel, as: channel.number)
            channel.open(on: session, to: peer)
        }
    }

    /// Removes a channel, which is closed at the peer as well. You can call it on any thread.
    package func remove(_ channel: ChannelClient) {
        let (session, isAwaited) = core.withLock { core in
            core.channels[channel.number] = nil
            core.pending.remove(channel.number)
            return (core.session, core.isolation.first?.channel == channel.number || core.onQuiet != nil)
        }
        channel.leave()
        guard session != nil || isAwaited else { return }
        eventLoop.execute { [self] in
            session?.detach(channel.number)
            if isAwaited { continueHeldEvents() }
        }
    }

    /// The present session, if its handshake is done.
    package var session: Session? { core.withLock(\.session) }

    // MARK: Sessions

    package func sessionOpened(_ session: Session, peer: Handshake.Peer) {
        let (owner, older, channels) = core.withLock { core in
            defer {
                core.session = session
                core.inFlight = []
                core.pending = Set(core.channels.keys)
                core.peer = peer
            }
            return (core.owner, core.session, core.channels.keys)
        }
        // Messages of an older session are ignored from now on.
        if let older { for number in channels { older.detach(number) } }
        owner?.opened(session, to: peer)
        openPending()
    }

    package func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError) {
        let reason = "This side does not serve channels, so it has no feature \"\(open.feature)\"."
        session.sendControl(OpenRefused(code: .unknownFeature, reason: reason), on: channel)
    }

    package func session(
        _ session: Session,
        received kind: MessageKind,
        body: UnsafeRawBufferPointer
    ) throws(WireError) {
        guard case .drained = kind else { return }
        _ = try Drained(decoding: body)
        core.withLock(\.owner)?.drained()
    }

    package func session(_ session: Session, isSilentFor silence: Duration) {
        core.withLock(\.owner)?.unanswered(session, for: silence)
    }

    package func sessionAnswersAgain(_ session: Session) {
        core.withLock(\.owner)?.answeredAgain(session)
    }

    package func session(_ session: Session, hasProblem problem: String?) {
        core.withLock(\.owner)?.hasProblem(problem, session)
    }

    package func sessionExcusesSilence(_ session: Session) -> Bool {
        core.withLock(\.owner)?.excusesSilence(session) ?? false
    }

    package func sessionClosed(_ session: Session, error: SessionError?) {
        let (owner, lost) = core.withLock { core -> ((any SessionOwner)?, [ChannelClient]) in
            guard core.session === session else { return (core.owner, []) }
            core.session = nil
            return (core.owner, Array(core.channels.values))
        }
        // Detached at once, so that events that are sent from now on do not count as in flight.
        let inFlight = lost.flatMap(\.inFlight)
        for channel in lost { channel.detach() }
        if !lost.isEmpty { core.withLock { $0.inFlight = inFlight } }
        owner?.closed(session, error: error)
    }

    // MARK: The end of the peer

    /// Detaches from the session, which ended. Running effects may continue at the peer.
    package func detach() {
        for channel in leaveSession() { channel.detach() }
    }

    private func leaveSession() -> [ChannelClient] {
        var session: Session?
        let channels = change { core in session = core.session.take() }
        // Further messages of the session are ignored.
        if let session { eventLoop.perform { for channel in channels { session.detach(channel.number) } } }
        return channels
    }

    /// Detaches from the worker of the session, which terminated along with everything that ran in it.
    ///
    /// Events that were in flight are sent again to the next incarnation. If one of them may have caused the
    /// termination, they are sent one at a time.
    ///
    /// - Parameters:
    ///   - termination: The termination of the worker.
    ///   - maximum: The maximum number of events and of effects of each channel in the report.
    ///   - report: Makes a report from the unfinished work, or returns nil.
    /// - Returns: The consequences of the termination.
    @discardableResult
    package func detach(
        interruptedBy termination: WorkerTermination,
        reportLimit maximum: Int = 0,
        report: (UnfinishedWork) -> TerminationReport? = { _ in nil }
    ) -> TerminationVerdict {
        // Includes the events of a session whose end has not been noticed yet.
        let unseen = change { _ in }.flatMap(\.inFlight)
        let channels = leaveSession()
        let inFlight = unseen + core.withLock { exchange(&$0.inFlight, with: []) }
        var work = UnfinishedWork()
        let byChannel = Dictionary(grouping: inFlight, by: \.channel)
        for channel in channels {
            channel.add(to: &work, byChannel[channel.number] ?? [], maximum: maximum)
            if case .event(let number, channel.number) = termination.blame { work.turn = channel.unfinished(number) }
        }
        var termination = termination
        termination.report = report(work)
        var verdict = TerminationVerdict(report: termination.report)
        for channel in channels {
            if channel.detach(interruptedBy: termination) { verdict.isAnswered = true }
        }
        let (poisoned, channel) = core.withLock { core in
            let poisoned = core.isolation.workerTerminated(
                termination.incarnation,
                inFlight: inFlight,
                blame: termination.blame
            )
            if core.isolation.first != nil { for channel in core.channels.values { channel.hold(proceed) } }
            return (poisoned, poisoned.flatMap { core.channels[$0.event.channel] })
        }
        verdict.poisoned = poisoned.flatMap { channel?.takeOut($0.event, terminations: $0.terminations) }
        return verdict
    }

    /// Holds back all further events from this incarnation of the peer. They wait until `resume`.
    ///
    /// - Parameter onQuiet: Called on the event loop when everything that was sent before has ended, possibly more than
    ///   once.
    package func pause(_ onQuiet: @escaping @Sendable () -> Void) {
        core.withLock { core in
            core.onQuiet = onQuiet
            for channel in core.channels.values { channel.pause(proceed) }
        }
        eventLoop.execute(proceed)
    }

    /// Releases the events that have waited since `pause`, after that incarnation has ended. The next incarnation
    /// receives them.
    package func resume() {
        core.withLock { core in
            guard core.onQuiet.take() != nil, core.isolation.first == nil else { return }
            // There is no session now. The events are sent when the next session has opened the channels.
            for channel in core.channels.values { _ = channel.releaseHeld() }
        }
    }

    private var proceed: @Sendable () -> Void { { [weak self] in self?.continueHeldEvents() } }

    /// Continues with the pause or the isolated retry after a tick that brought something, or after a channel was left.
    /// Call it on the event loop.
    private func continueHeldEvents() {
        let (onQuiet, channels) = core.withLock { ($0.onQuiet, Array($0.channels.values)) }
        guard let onQuiet else { return retryNextEvent() }
        if channels.allSatisfy(\.isQuiet) { onQuiet() }
    }

    /// Sends the next suspected event if the previous one is settled. After the last one, sends everything that waits.
    /// Call it on the event loop.
    private func retryNextEvent() {
        // One critical section, because the worker may terminate at any moment, which another thread reports.
        let sessions = core.withLock { core -> [Session] in
            while let event = core.isolation.first {
                let channel = core.channels[event.channel]
                if core.isolation.isRetrying {
                    guard channel?.isSettled(event.number) ?? true else { return [] }
                } else {
                    switch channel?.attempt(event.number) ?? .settled {
                    case .waits: return []
                    case .sent(let session):
                        core.isolation.markFirstSent()
                        return [session]
                    case .settled: break
                    }
                }
                core.isolation.removeFirst()
            }
            return core.channels.values.compactMap { $0.releaseHeld() }
        }
        for session in sessions { session.flushSoon() }
    }

    /// Closes all channels, because no peer will answer until `revive`.
    package func close(_ reason: ChannelEnd, interruption: WireOutcome) {
        for channel in change({ $0.end = (reason, interruption) }) { channel.close(reason, interruption: interruption) }
    }

    /// Accepts events again after `close`.
    package func revive() {
        for channel in change({ $0.end = nil }) { channel.revive() }
    }

    /// Delivers the status of the process that runs the feature to all channels. You can call it on any thread.
    package func report(_ host: ChannelUpdate.HostReport) {
        for channel in change({ $0.host = host }) { channel.report(host) }
    }

    /// Changes the common state.
    ///
    /// - Returns: The channels to notify of the change. Channels that are created later read it from the common state.
    private func change(_ change: (inout Core) -> Void) -> [ChannelClient] {
        core.withLock { core in
            change(&core)
            return core.channels.values.sorted { $0.number < $1.number }
        }
    }
}
