import LatticeTransport
import LatticeWire

/// A state or a change of it that can be sent to the peer.
private enum Offered {
    /// A frame that is shared with other channels, by its place among the shared frames.
    case shared(place: Int, revision: UInt64)
    /// An offer for this channel alone. `applied` is the highest event that is contained in it.
    case own(StateOffer, applied: UInt64)

    var revision: UInt64 {
        switch self {
        case .shared(_, let revision): revision
        case .own(let offer, _): offer.revision
        }
    }

    var applied: UInt64? {
        switch self {
        case .shared: nil
        case .own(_, let applied): applied
        }
    }

    /// The size of the state in bytes if it is offered as a whole, or nil for a change.
    func stateBytes(in frames: StateFrames?) -> Int? {
        switch self {
        case .shared(let place, _): frames?.stateBytes(at: place)
        case .own(let offer, _): offer.base == nil ? offer.count : nil
        }
    }
}

/// The operations of a channel under its lock.
extension ChannelServer.Core {
    var session: Session? {
        switch phase {
        case .opening(let session, _), .answering(let session, _), .open(let session): session
        case .away, .closed: nil
        }
    }

    /// Returns whether the session has room for a state of the channel. Called for each release, under the lock so that
    /// the reference to the session does not have to be counted.
    func hasRoom(for number: UInt32) -> Bool {
        switch phase {
        case .opening(let session, _), .answering(let session, _), .open(let session): session.canPublish(on: number)
        case .away, .closed: false
        }
    }

    func isOpening(on session: Session) -> Bool {
        if case .opening(let present, _) = phase { present === session } else { false }
    }

    /// Records that `open` arrived.
    ///
    /// - Parameters:
    ///   - open: The message.
    ///   - session: The session in which it arrived.
    ///   - record: The ID by which a client that comes back finds this server again, or nil.
    mutating func open(_ open: Open, on session: Session, record: UInt64?) {
        var known: ChannelServer.Known?
        // A returning client cannot have more than was sent to it. The state that a coordinator has arrived with its
        // `open`.
        let isRemembered = record != nil && open.record == record && open.takesPatches
        let wasPublished = open.revision > 0 && open.revision <= state.published
        if state.isForwarding ? isRemembered && wasPublished : open.state != nil {
            known = ChannelServer.Known(revision: open.revision, applied: min(open.resumeAfter, state.released))
        }
        state.takesPatches = open.takesPatches
        // A host that makes the state itself checks the size of the state itself.
        if state.isForwarding { maximumState = open.maximumState.map(Int.init) ?? FrameLimits.maximumState }
        phase = .opening(session, known)
        preparing = nil
        explainedIncarnation = nil
    }

    /// Publishes the states of a shared log from now on.
    mutating func show(_ log: SharedStateLog) {
        guard log !== sharedLog else { return }
        // The revisions that the peer knows belong to another log.
        log.skip(to: state.revision)
        sharedLog = log
        if case .opening(let session, _) = phase { phase = .opening(session, nil) }
    }

    /// Answers `open`.
    ///
    /// - Parameters:
    ///   - host: The host of the channel.
    ///   - status: The status of the feature's worker, or nil.
    ///   - asker: The session whose `open` must be answered. Nil answers the present session.
    ///   - server: The channel.
    mutating func answer(
        by host: any ChannelHost,
        _ status: HostStatusMessage?,
        on asker: Session? = nil,
        as server: ChannelServer
    ) -> ChannelServer.FollowUp {
        guard case .opening(let session, let known) = phase, asker == nil || asker === session else {
            return ChannelServer.FollowUp()
        }
        self.host = host
        phase = .answering(session, ChannelServer.Answer(known: known, host: status))
        var followUp = publish(as: server)
        followUp.session = session
        return followUp
    }

    /// Leaves a session.
    ///
    /// - Returns: Whether it was the present session.
    mutating func leave(_ session: Session) -> Bool {
        guard self.session === session else { return false }
        phase = .away
        // When the client comes back, the host answers it again. Until then a reference to the host would be a retain
        // cycle that keeps everything that the host and the channel refer to.
        if state.isForwarding { host = nil }
        return true
    }

    /// Receives an event.
    ///
    /// - Parameters:
    ///   - event: The number of the event.
    ///   - limits: The limits of the channel.
    ///   - unreleased: The number of outcomes that wait to be released.
    /// - Returns: The host that must start the event, and whether the event is already cancelled. Nil if the event must
    ///   not be started.
    mutating func receive(
        _ event: UInt64,
        _ limits: ChannelLimits,
        unreleased: Int
    ) -> (host: any ChannelHost, isCancelled: Bool)? {
        // Before `opened`, there is no host for the event and no way to send an outcome. A correct peer does not send
        // events before `opened`.
        guard case .open = phase, let host else { return nil }
        let receipt = state.receive(event: event)
        guard receipt != .duplicate else {
            if running[event] == nil { state.repeatOutcome(of: event) }
            return nil
        }
        guard running.count + unreleased + state.due.count < limits.maximumRunning else {
            let reason = "Too many events are running (\(running.count)). Wait for some of them to end."
            state.complete(event, .rejected(code: .overloaded, reason: reason))
            return nil
        }
        starting = event
        return (host, receipt == .applyCancelled)
    }

    /// Records that a running event was forwarded.
    mutating func forward(_ event: UInt64, as number: UInt64) {
        let running = running
        state.forward(event, as: number, isRunning: { running[$0] != nil }, running: running.count)
    }

    /// Removes a running event.
    ///
    /// - Returns: Whether the event was running. It was not if it was withdrawn, or if the channel was closed.
    mutating func remove(_ event: UInt64) -> Bool {
        guard starting == event else { return running.removeValue(forKey: event) != nil }
        starting = nil
        return true
    }

    // MARK: Publishing

    /// Adds everything that can be sent to the session.
    mutating func publish(as server: ChannelServer) -> ChannelServer.FollowUp {
        var frames: StateFrames?
        return publish(as: server, &frames, namesSession: true)
    }

    /// Adds everything that can be sent to the session.
    ///
    /// - Parameters:
    ///   - server: The channel.
    ///   - frames: Frames that are shared with other channels, or nil.
    ///   - namesSession: Whether the result names the session in which something must be written. Counting a reference
    ///     for this, for each state, took 1 % of the CPU of `lattice-bench session --only deliveries`.
    mutating func publish(
        as server: ChannelServer,
        _ frames: inout StateFrames?,
        namesSession: Bool = false
    ) -> ChannelServer.FollowUp {
        var followUp = ChannelServer.FollowUp()
        switch phase {
        case .away, .opening, .closed:
            break
        case .answering(let session, let answer):
            guard let opened = opened(answer, on: session, as: server, &followUp) else { break }
            guard opened.state.count <= maximumState else {
                refuse(opened, on: session, as: server)
                followUp.isDue = true
                if namesSession { followUp.session = session }
                break
            }
            session.append { queue in
                queue.addOpened(opened, on: server.number)
                if let host = answer.host { queue.addControl(host, on: server.number) }
            }
            phase = .open(session)
            _ = deliver(on: session, server, &frames, &followUp)
            followUp.isDue = true
            if namesSession { followUp.session = session }
        case .open(let session):
            followUp.isDue = deliver(on: session, server, &frames, &followUp)
            if namesSession, followUp.isDue { followUp.session = session }
        }
        if onPublished != nil, isPublished, let call = onPublished.take() { followUp.call(call) }
        return followUp
    }

    /// Refuses `open`, because the state is larger than the client accepts.
    private mutating func refuse(_ opened: Opened, on session: Session, as server: ChannelServer) {
        let refusal = OpenRefused(code: .tooLarge, reason: tooLarge(opened.state.count))
        session.append { $0.addControl(refusal, on: server.number) }
        _ = leave(session)
        session.eventLoop.execute { server.wasRefused(on: session) }
    }

    private func tooLarge(_ bytes: Int) -> String {
        "The state has \(bytes) bytes, but the client accepts at most \(maximumState) bytes. Open the channel with a"
            + " larger maximumState."
    }

    /// Whether everything has been published in the present session.
    var isPublished: Bool {
        switch phase {
        case .away, .opening, .closed: true
        case .answering: false
        case .open: isFullyPublished
        }
    }

    var isFullyPublished: Bool { state.isFullyPublished && !hasUnsentEffects }

    private var hasUnsentEffects: Bool { !begunEffects.isEmpty || !endedEffects.isEmpty }

    /// Returns the answer to `open`, or nil while it must wait.
    private mutating func opened(
        _ answer: ChannelServer.Answer,
        on session: Session,
        as server: ChannelServer,
        _ followUp: inout ChannelServer.FollowUp
    ) -> Opened? {
        var opened = Opened(revision: 0, applied: state.released, state: [], record: server.record)
        if let known = answer.known, sharedLog?.knows(known.revision) ?? log.knows(known.revision) {
            // The state stays empty, because the peer already has it.
            opened.revision = known.revision
            opened.applied = known.applied
        } else {
            guard session.canPublish(on: server.number), let (offer, applied) = offer(since: nil, &followUp),
                case .snapshot(let bytes) = offer.content
            else { return nil }
            opened.revision = offer.revision
            opened.applied = applied
            opened.state = bytes
        }
        state.opened(with: opened.revision, applied: opened.applied)
        return opened
    }

    /// Adds effects, states, acknowledgements and outcomes to an open session.
    ///
    /// - Returns: Whether anything was added.
    private mutating func deliver(
        on session: Session,
        _ server: ChannelServer,
        _ frames: inout StateFrames?,
        _ followUp: inout ChannelServer.FollowUp
    ) -> Bool {
        let number = server.number
        var hasPublished = false
        session.change { output in
            // Effects are added before the state that they belong to, so that the peer applies both together.
            if hasUnsentEffects {
                for message in takeEffects() { output.queue.addControl(message, on: number) }
                hasPublished = true
            }
            var isLast = false
            repeat {
                var offered: Offered?
                if state.isDirty, output.hasRoom(for: number) { offered = sharedOffer(frames) ?? ownOffer(&followUp) }
                if let bytes = offered?.stateBytes(in: frames), bytes > maximumState {
                    // Executed later, because it takes the lock.
                    let closed = Closed(code: .failed, reason: tooLarge(bytes))
                    server.eventLoop.execute { server.endUnsendable(closed) }
                    offered = nil
                }
                let (publication, ends) = state.take(offered?.revision, applied: offered?.applied)
                if publication != nil || !ends.isEmpty { hasPublished = true }
                switch publication {
                case .state(let applied):
                    if let offered { add(offered, applied: applied, on: number, to: &output.queue, &frames) }
                case .acknowledgement(let applied, let revision):
                    output.queue.addControl(AcknowledgementMessage(applied: applied, revision: revision), on: number)
                case nil:
                    break
                }
                for end in ends {
                    output.queue.addCompletion(
                        end.first,
                        through: end.last,
                        revision: state.revision,
                        outcome: end.outcome,
                        on: number
                    )
                }
                // While a state was prepared for a long time, a newer one may have been released.
                isLast = offered == nil || !state.isDirty
            } while !isLast
        }
        return hasPublished
    }

    private mutating func takeEffects() -> [EffectsMessage] {
        defer { (begunEffects, endedEffects) = ([], []) }
        return EffectsMessage.messages(
            revision: state.revision,
            applied: state.released,
            begun: begunEffects,
            ended: endedEffects
        )
    }

    /// Adds a state or a change of it to the session's queue.
    private mutating func add(
        _ offered: Offered,
        applied: UInt64,
        on number: UInt32,
        to queue: inout WriteQueue,
        _ frames: inout StateFrames?
    ) {
        switch offered {
        case .shared(let place, _):
            frames?.add(at: place, to: &queue, applied: applied, on: number)
        case .own(let offer, _) where frames?.revision == offer.revision:
            frames?.add(offer, to: &queue, applied: applied, on: number)
        case .own(let offer, _):
            queue.addState(offer, applied: applied, on: number)
        }
        if sharedLog == nil { log.forget(before: offered.revision) }
    }

    /// Returns the shared frame if it suits this channel and no state is being prepared.
    private func sharedOffer(_ frames: StateFrames?) -> Offered? {
        guard preparing == nil, let frames, let place = frames.place(since: state.base) else { return nil }
        return .shared(place: place, revision: frames.revision)
    }

    private mutating func ownOffer(_ followUp: inout ChannelServer.FollowUp) -> Offered? {
        offer(since: state.base, &followUp).map { .own($0.offer, applied: $0.applied) }
    }

    /// Returns a state or a change that can be sent to the peer, with the highest event that it contains. Returns nil
    /// if it must be prepared first.
    private mutating func offer(
        since base: UInt64?,
        _ followUp: inout ChannelServer.FollowUp
    ) -> (offer: StateOffer, applied: UInt64)? {
        if let (job, applied) = preparing {
            guard let offer = job.offer else { return nil }
            preparing = nil
            if offer.base == nil || offer.base == base, offer.revision >= state.published { return (offer, applied) }
        }
        switch sharedLog?.answer(since: base) ?? log.answer(since: base) {
        case .ready(let offer):
            return (offer, state.released)
        case .job(let job):
            preparing = (job, state.released)
            followUp.prepare(job, inBackground: sharedLog != nil || job.isLarge)
            return nil
        }
    }
}
