import LatticeTransport
import LatticeWire

/// What the other side can be told of the state.
private enum Offered {
    /// What others are told too, at its place among their frames.
    case shared(place: Int, revision: UInt64)
    /// The highest event in it is the one that `applied` says.
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

    /// The size of the state if it is offered as a whole; nil for a change.
    func stateBytes(in frames: StateFrames?) -> Int? {
        switch self {
        case .shared(let place, _): frames?.stateBytes(at: place)
        case .own(let offer, _): offer.base == nil ? offer.count : nil
        }
    }
}

/// What a channel does under its lock.
extension ChannelServer.Core {
    var session: Session? {
        switch link {
        case .opening(let session, _), .answering(let session, _), .open(let session): session
        case .away, .closed: nil
        }
    }

    /// Asked for each release: under the lock, so that no reference to the session has to be counted.
    func hasRoom(for number: UInt32) -> Bool {
        switch link {
        case .opening(let session, _), .answering(let session, _), .open(let session): session.canPublish(on: number)
        case .away, .closed: false
        }
    }

    func isOpening(on session: Session) -> Bool {
        if case .opening(let present, _) = link { present === session } else { false }
    }

    /// - Parameter record: What names the channel to a client that comes back.
    mutating func open(_ open: Open, on session: Session, record: UInt64?) {
        var known: ChannelServer.Known?
        // A client that comes back cannot have more than it was told; what a coordinator has came with its `open`.
        let isRemembered = record != nil && open.record == record && open.takesPatches
        let wasTold = open.revision > 0 && open.revision <= state.published
        if state.isForwarding ? isRemembered && wasTold : open.state != nil {
            known = ChannelServer.Known(revision: open.revision, applied: min(open.resumeAfter, state.released))
        }
        state.takesPatches = open.takesPatches
        // Whoever makes the state looks after its size itself.
        if state.isForwarding { maximumState = open.maximumState.map(Int.init) ?? FrameLimits.maximumState }
        link = .opening(session, known)
        preparing = nil
        explainedLife = nil
    }

    /// The state is that of the log from now on.
    mutating func show(_ log: SharedStateLog) {
        guard log !== sharedLog else { return }
        // The numbers that the other side has are of something else.
        log.skip(to: state.revision)
        sharedLog = log
        if case .opening(let session, _) = link { link = .opening(session, nil) }
    }

    /// - Parameter asker: The session whose `open` is answered, and no other; nil: whichever it is.
    mutating func answer(
        by host: any ChannelHost,
        _ status: HostStatusMessage?,
        on asker: Session? = nil,
        as server: ChannelServer
    ) -> ChannelServer.Telling {
        guard case .opening(let session, let known) = link, asker == nil || asker === session else {
            return ChannelServer.Telling()
        }
        self.host = host
        link = .answering(session, ChannelServer.Answer(known: known, host: status))
        var telling = publish(as: server)
        telling.session = session
        return telling
    }

    /// - Returns: Whether it was the present session.
    mutating func leave(_ session: Session) -> Bool {
        guard self.session === session else { return false }
        link = .away
        // Who comes back is answered by the host anew. Until then they would keep each other, and all that they are on.
        if state.isForwarding { host = nil }
        return true
    }

    /// - Parameter unreleased: How many outcomes wait to be released.
    /// - Returns: Whom to hand the event to, and whether it is cancelled already; nil: nobody.
    mutating func receive(
        _ event: UInt64,
        _ limits: ChannelLimits,
        unreleased: Int
    ) -> (host: any ChannelHost, isCancelled: Bool)? {
        // Before `opened` there is nobody to hand it to, or to tell an outcome; the other side does not send before.
        guard case .open = link, let host else { return nil }
        let receipt = state.receive(event: event)
        guard receipt != .duplicate else {
            if running[event] == nil { state.repeatOutcome(of: event) }
            return nil
        }
        guard running.count + unreleased + state.due.count < limits.maximumRunning else {
            let reason = "the effects of \(running.count) events run, and no more may; wait for some of them to end"
            state.complete(event, .rejected(code: .overloaded, reason: reason))
            return nil
        }
        starting = event
        return (host, receipt == .applyCancelled)
    }

    /// An event that runs was sent on.
    mutating func forward(_ event: UInt64, as number: UInt64) {
        let running = running
        state.forward(event, as: number, isRunning: { running[$0] != nil }, running: running.count)
    }

    /// - Returns: Whether the event ran: not one that was taken back, or that a close has ended.
    mutating func remove(_ event: UInt64) -> Bool {
        guard starting == event else { return running.removeValue(forKey: event) != nil }
        starting = nil
        return true
    }

    // MARK: Telling

    /// Adds what is to be told to the session.
    mutating func publish(as server: ChannelServer) -> ChannelServer.Telling {
        var frames: StateFrames?
        return publish(as: server, &frames, namesSession: true)
    }

    /// - Parameters:
    ///   - frames: What goes to others too.
    ///   - namesSession: Whether it is told where something has to be written. Counting a reference for that, for each
    ///     state, took 1 % of the CPU of `latticectl bench session --only deliveries`.
    mutating func publish(
        as server: ChannelServer,
        _ frames: inout StateFrames?,
        namesSession: Bool = false
    ) -> ChannelServer.Telling {
        var telling = ChannelServer.Telling()
        switch link {
        case .away, .opening, .closed:
            break
        case .answering(let session, let answer):
            guard let opened = opened(answer, on: session, as: server, &telling) else { break }
            guard opened.state.count <= maximumState else {
                refuse(opened, on: session, as: server)
                telling.isDue = true
                if namesSession { telling.session = session }
                break
            }
            session.append { queue in
                queue.addOpened(opened, on: server.number)
                if let host = answer.host { queue.addControl(host, on: server.number) }
            }
            link = .open(session)
            _ = deliver(on: session, server, &frames, &telling)
            telling.isDue = true
            if namesSession { telling.session = session }
        case .open(let session):
            telling.isDue = deliver(on: session, server, &frames, &telling)
            if namesSession, telling.isDue { telling.session = session }
        }
        if onTold != nil, isTold, let told = onTold.take() { telling.call(told) }
        return telling
    }

    /// The state is larger than the client takes.
    private mutating func refuse(_ opened: Opened, on session: Session, as server: ChannelServer) {
        let refusal = OpenRefused(code: .tooLarge, reason: tooLarge(opened.state.count))
        session.append { $0.addControl(refusal, on: server.number) }
        _ = leave(session)
        session.eventLoop.execute { server.wasRefused(on: session) }
    }

    private func tooLarge(_ bytes: Int) -> String {
        "the state has \(bytes) bytes, and the client takes \(maximumState); open the channel with a larger maximumState"
    }

    /// Whether nothing is left to be told on the present session.
    var isTold: Bool {
        switch link {
        case .away, .opening, .closed: true
        case .answering: false
        case .open: hasNothingToTell
        }
    }

    var hasNothingToTell: Bool { state.hasNothingToTell && !hasEffectsToTell }

    private var hasEffectsToTell: Bool { !begunEffects.isEmpty || !endedEffects.isEmpty }

    /// The answer to `open`; nil while it has to wait.
    private mutating func opened(
        _ answer: ChannelServer.Answer,
        on session: Session,
        as server: ChannelServer,
        _ telling: inout ChannelServer.Telling
    ) -> Opened? {
        var opened = Opened(revision: 0, applied: state.released, state: [], record: server.record)
        if let known = answer.known, sharedLog?.knows(known.revision) ?? log.knows(known.revision) {
            // An empty state: the other side has it.
            opened.revision = known.revision
            opened.applied = known.applied
        } else {
            guard session.canPublish(on: server.number), let (offer, applied) = offer(since: nil, &telling),
                case .snapshot(let bytes) = offer.content
            else { return nil }
            opened.revision = offer.revision
            opened.applied = applied
            opened.state = bytes
        }
        state.opened(with: opened.revision, applied: opened.applied)
        return opened
    }

    /// - Returns: Whether there was anything to tell.
    private mutating func deliver(
        on session: Session,
        _ server: ChannelServer,
        _ frames: inout StateFrames?,
        _ telling: inout ChannelServer.Telling
    ) -> Bool {
        let number = server.number
        var hasTold = false
        session.change { output in
            // Ahead of what they belong to, so that they are known with it.
            if hasEffectsToTell {
                for message in takeEffects() { output.queue.addControl(message, on: number) }
                hasTold = true
            }
            var isLast = false
            repeat {
                var offered: Offered?
                if state.isDirty, output.hasRoom(for: number) { offered = sharedOffer(frames) ?? ownOffer(&telling) }
                if let bytes = offered?.stateBytes(in: frames), bytes > maximumState {
                    // In a turn of its own: it takes the lock.
                    let closed = Closed(code: .failed, reason: tooLarge(bytes))
                    server.eventLoop.execute { server.endForSize(closed) }
                    offered = nil
                }
                let (publication, ends) = state.take(offered?.revision, applied: offered?.applied)
                if publication != nil || !ends.isEmpty { hasTold = true }
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
                // A state that took long to prepare is not the newest one any more.
                isLast = offered == nil || !state.isDirty
            } while !isLast
        }
        return hasTold
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

    /// What others are told too, if that is of use here and nothing is being prepared.
    private func sharedOffer(_ frames: StateFrames?) -> Offered? {
        guard preparing == nil, let frames, let place = frames.place(since: state.base) else { return nil }
        return .shared(place: place, revision: frames.revision)
    }

    private mutating func ownOffer(_ telling: inout ChannelServer.Telling) -> Offered? {
        offer(since: state.base, &telling).map { .own($0.offer, applied: $0.applied) }
    }

    /// What the other side can be told of the state, and the highest event in that; nil: it has to be prepared first.
    private mutating func offer(
        since base: UInt64?,
        _ telling: inout ChannelServer.Telling
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
            telling.prepare(job, inBackground: sharedLog != nil || job.isLarge)
            return nil
        }
    }
}
