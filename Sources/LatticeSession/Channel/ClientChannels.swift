import LatticeConcurrency
package import LatticeTransport
package import LatticeWire

/// Who has the sessions of ``ClientChannels``. Everything is called on the event loop.
package protocol SessionOwner: AnyObject, Sendable {
    /// A handshake is done.
    func opened(_ session: Session, to peer: Handshake.Peer)
    /// The other side has finished what was running.
    func drained()
    /// The other side has not answered for so long, and is not given up yet.
    func unanswered(_ session: Session, for silence: Duration)
    /// It has answered after that.
    func answeredAgain(_ session: Session)
    /// What keeps the other side from working, as it says with an answer; nil: nothing.
    func hasProblem(_ problem: String?, _ session: Session)
    /// Whether it is not to be given up, although it does not answer.
    func excusesSilence(_ session: Session) -> Bool
    /// A session ended, handshake or not; not always the newest one.
    func closed(_ session: Session, error: SessionError?)
}

extension SessionOwner {
    package func drained() {}
    package func unanswered(_ session: Session, for silence: Duration) {}
    package func answeredAgain(_ session: Session) {}
    package func hasProblem(_ problem: String?, _ session: Session) {}
    package func excusesSilence(_ session: Session) -> Bool { false }
}

/// The channels that this side has opened at one server, over one session after the other, which they outlive.
package final class ClientChannels: SessionHandler {
    private struct Core {
        weak var owner: (any SessionOwner)?
        var channels: [UInt32: ChannelClient] = [:]
        var session: Session?
        var lastNumber: UInt32 = 0
        /// Who is on the other side of the session.
        var peer: Handshake.Peer?
        /// Not yet opened on the session.
        var fresh: Set<UInt32> = []
        /// What a channel that is made later would not hear of otherwise.
        var host: ChannelUpdate.HostReport?
        /// What was on its way when the last session ended.
        var inFlight: [PoisonIsolation.Event] = []
        /// While there are some, events are tried one at a time.
        var suspects = PoisonIsolation()
        /// Called when what was sent has ended; nothing more is sent until `resume`.
        var onQuiet: (@Sendable () -> Void)?
        /// Nobody will answer, until `revive`.
        var end: (reason: ChannelEnd, interruption: WireOutcome)?

        /// What is to be opened, by ascending numbers.
        var waiting: (channels: [ChannelClient], session: Session, peer: Handshake.Peer)? {
            guard let session, let peer, !fresh.isEmpty else { return nil }
            return (fresh.sorted().compactMap { channels[$0] }, session, peer)
        }
    }

    package let eventLoop: any EventLoop
    private let side: SessionSide
    private let core: Locked<Core>

    /// - Parameter side: This one, in all sessions: its channels have odd or even numbers.
    package init(eventLoop: any EventLoop, as side: SessionSide) {
        self.eventLoop = eventLoop
        self.side = side
        core = Locked(Core())
    }

    /// Who hears of the sessions. Not kept; once, before there are any.
    package func connect(_ owner: any SessionOwner) {
        core.withLock { $0.owner = owner }
    }

    /// Makes a channel and opens it if there is a session, else when there is one.
    package func makeChannel(_ make: (UInt32) -> ChannelClient) -> ChannelClient {
        let channel = core.withLock { core in
            core.lastNumber = side.channel(after: core.lastNumber)
            let channel = make(core.lastNumber)
            core.channels[channel.number] = channel
            core.fresh.insert(channel.number)
            // Under the lock, so that whatever is reported next comes after it.
            if let host = core.host { channel.report(host) }
            if let end = core.end { channel.close(end.reason, interruption: end.interruption) }
            if core.suspects.first != nil { channel.hold(proceed) }
            if core.onQuiet != nil { channel.pause(proceed) }
            return channel
        }
        eventLoop.execute { [self] in openFresh() }
        return channel
    }

    /// Opens all that is not open yet: whoever makes a channel may come here before somebody with a lower number, and
    /// numbers ascend. So a channel that has something large to prepare holds back those behind it. On the event loop,
    /// so that nobody comes between.
    private func openFresh() {
        guard let (channels, session, peer) = core.withLock(\.waiting) else { return }
        var opens = true
        for channel in channels {
            // Asked even behind one that is not ready, so that several prepare at a time.
            opens = channel.prepareToOpen { [weak self] in self?.openFresh() } && opens
            guard opens else { continue }
            _ = core.withLock { $0.fresh.remove(channel.number) }
            session.attach(channel, as: channel.number)
            channel.open(on: session, to: peer)
        }
    }

    /// Forgets a channel, and tells the other side to. Any thread.
    package func remove(_ channel: ChannelClient) {
        let (session, isAwaited) = core.withLock { core in
            core.channels[channel.number] = nil
            core.fresh.remove(channel.number)
            return (core.session, core.suspects.first?.channel == channel.number || core.onQuiet != nil)
        }
        channel.leave()
        guard session != nil || isAwaited else { return }
        eventLoop.execute { [self] in
            session?.detach(channel.number)
            if isAwaited { goOn() }
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
                core.fresh = Set(core.channels.keys)
                core.peer = peer
            }
            return (core.owner, core.session, core.channels.keys)
        }
        // Nothing of an older one counts any more.
        if let older { for number in channels { older.detach(number) } }
        owner?.opened(session, to: peer)
        openFresh()
    }

    package func session(_ session: Session, opens channel: UInt32, _ open: Open) throws(WireError) {
        let reason = "this side serves no channels; it has no feature \"\(open.feature)\""
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
        // At once: what is sent from now on is not on its way.
        let inFlight = lost.flatMap(\.inFlight)
        for channel in lost { channel.detach() }
        if !lost.isEmpty { core.withLock { $0.inFlight = inFlight } }
        owner?.closed(session, error: error)
    }

    // MARK: The fate of the other side

    /// The session is gone; what ran on the other side may still run there.
    package func detach() {
        for channel in leaveSession() { channel.detach() }
    }

    private func leaveSession() -> [ChannelClient] {
        var session: Session?
        let channels = change { core in session = core.session.take() }
        // What it still says does not count any more.
        if let session { eventLoop.perform { for channel in channels { session.detach(channel.number) } } }
        return channels
    }

    /// The worker is gone that had the session, and what ran there. What was on its way to it is sent again: if it may
    /// be why, one event at a time.
    ///
    /// - Parameters:
    ///   - most: How many events and effects of each channel the report is to tell.
    ///   - report: Makes a report of the end, with these.
    @discardableResult
    package func detach(
        interruptedBy life: WorkerTermination,
        telling most: Int = 0,
        report: (UnfinishedWork) -> TerminationReport? = { _ in nil }
    ) -> TerminationVerdict {
        // Of a session whose end was not seen, too.
        let unseen = change { _ in }.flatMap(\.inFlight)
        let channels = leaveSession()
        let inFlight = unseen + core.withLock { exchange(&$0.inFlight, with: []) }
        var work = UnfinishedWork()
        let byChannel = Dictionary(grouping: inFlight, by: \.channel)
        for channel in channels {
            channel.add(to: &work, byChannel[channel.number] ?? [], most: most)
            if case .event(let number, channel.number) = life.blame { work.turn = channel.unfinished(number) }
        }
        var life = life
        life.report = report(work)
        var ended = TerminationVerdict(report: life.report)
        for channel in channels {
            if channel.detach(interruptedBy: life) { ended.isAnswered = true }
        }
        let (poisoned, channel) = core.withLock { core in
            let poisoned = core.suspects.lifeEnded(life.incarnation, inFlight: inFlight, blame: life.blame)
            if core.suspects.first != nil { for channel in core.channels.values { channel.hold(proceed) } }
            return (poisoned, poisoned.flatMap { core.channels[$0.event.channel] })
        }
        ended.poisoned = poisoned.flatMap { channel?.takeOut($0.event, lives: $0.lives) }
        return ended
    }

    /// Sends nothing more to this life of the other side: what comes waits until `resume`.
    ///
    /// - Parameter onQuiet: Called when all that was sent before has ended, on the event loop and perhaps more than
    ///   once.
    package func pause(_ onQuiet: @escaping @Sendable () -> Void) {
        core.withLock { core in
            core.onQuiet = onQuiet
            for channel in core.channels.values { channel.pause(proceed) }
        }
        eventLoop.execute(proceed)
    }

    /// The life before which `pause` was called is over: the next one gets what waits.
    package func resume() {
        core.withLock { core in
            guard core.onQuiet.take() != nil, core.suspects.first == nil else { return }
            // No session is there: what has waited goes out when one has opened the channels.
            for channel in core.channels.values { _ = channel.releaseHeld() }
        }
    }

    private var proceed: @Sendable () -> Void { { [weak self] in self?.goOn() } }

    /// A tick has brought something, or a channel was left. On the event loop.
    private func goOn() {
        let (onQuiet, channels) = core.withLock { ($0.onQuiet, Array($0.channels.values)) }
        guard let onQuiet else { return tryNextSuspect() }
        if channels.allSatisfy(\.isQuiet) { onQuiet() }
    }

    /// Sends the next suspect when the one before it is settled, and behind the last one whatever waits. On the event
    /// loop.
    private func tryNextSuspect() {
        // In one piece: a life may end at any moment, on another thread.
        let sessions = core.withLock { core -> [Session] in
            while let event = core.suspects.first {
                let channel = core.channels[event.channel]
                if core.suspects.isTried {
                    guard channel?.isSettled(event.number) ?? true else { return [] }
                } else {
                    switch channel?.attempt(event.number) ?? .settled {
                    case .waits: return []
                    case .sent(let session):
                        core.suspects.triesFirst()
                        return [session]
                    case .settled: break
                    }
                }
                core.suspects.removeFirst()
            }
            return core.channels.values.compactMap { $0.releaseHeld() }
        }
        for session in sessions { session.flushSoon() }
    }

    /// Nobody will answer any more, until `revive`.
    package func close(_ reason: ChannelEnd, interruption: WireOutcome) {
        for channel in change({ $0.end = (reason, interruption) }) { channel.close(reason, interruption: interruption) }
    }

    package func revive() {
        for channel in change({ $0.end = nil }) { channel.revive() }
    }

    package func report(_ host: ChannelUpdate.HostReport) {
        for channel in change({ $0.host = host }) { channel.report(host) }
    }

    /// - Returns: Those that have to hear of the change; whoever is made later sees it.
    private func change(_ change: (inout Core) -> Void) -> [ChannelClient] {
        core.withLock { core in
            change(&core)
            return core.channels.values.sorted { $0.number < $1.number }
        }
    }
}
