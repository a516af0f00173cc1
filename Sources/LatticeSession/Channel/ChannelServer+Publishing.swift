import LatticeConcurrency
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

/// The publication of what was released.
extension ChannelServer {
    /// Adds everything that can be sent to the session.
    ///
    /// - Returns: Whether something must be written.
    func publish() -> Bool {
        core.value.outcomesInTick = 0
        var frames: StateFrames?
        return publish(&frames)
    }

    /// Adds everything that can be sent to the session.
    ///
    /// - Parameter frames: Frames that are shared with other channels, or nil.
    /// - Returns: Whether something must be written. The session is not returned, because counting a reference to it,
    ///   for each state, took 1 % of the CPU of `lattice-bench session --only deliveries`.
    func publish(_ frames: inout StateFrames?) -> Bool {
        // What was made for the viewers of one state is never sent to those of another one: shared frames come in here
        // only, and everything else comes from the source that the channel shows.
        if let source = frames?.source, source != core.value.shownSource { return publish() }
        var isDue = false
        while true {
            var job: StateJob?
            isDue = core.value.publish(as: self, &frames, &job) || isDue
            guard let job else { break }
            guard !core.value.source.isShared, !job.isLarge else {
                // The job does not run on the thread of all channels.
                core.value.source.run(job, for: self)
                break
            }
            guard run(job) else { break }
        }
        if core.value.onPublished != nil, isPublished, let call = core.value.onPublished.take() {
            // Later, because the call may end the session.
            eventLoop.execute(call)
        }
        return isDue
    }

    /// Publishes the result of a job that has run on a coding thread, and writes it.
    func publish(_ job: StateJob, _ frames: inout StateFrames?) {
        if run(job), publish(&frames) { core.value.session?.flushSoon() }
    }

    /// Runs a job that prepares a state, or takes the result that another thread has made. If it failed, the channel is
    /// closed.
    ///
    /// - Returns: Whether the job has succeeded.
    private func run(_ job: StateJob) -> Bool {
        do {
            try job.run()
            return true
        } catch {
            let reason = "The state cannot be sent: \(error)"
            eventLoop.execute { [self] in
                // While the job ran, the client may have opened the channel again.
                guard core.value.preparing?.job === job else { return }
                endUnsendable(Closed(code: .failed, reason: reason))
            }
            return false
        }
    }

    // MARK: The progress of the publication

    /// Returns whether a new state would be sent at once. If not, it waits behind an older one, and the end of a tick
    /// is signalled when there is room.
    package func hasRoom() -> Bool { core.value.hasRoom(for: number) }

    /// The number of states that were released after the one that was sent last. Nil if the channel is not open in a
    /// session.
    package var lag: UInt64? {
        guard case .open = core.value.phase else { return nil }
        return core.value.state.lag
    }

    /// A Boolean value that indicates whether a released state waits for room.
    package var hasUnsentState: Bool { core.value.state.isDirty }

    /// Whether everything has been published in the present session.
    private var isPublished: Bool {
        switch core.value.phase {
        case .away, .opening, .closed: true
        case .answering: false
        case .open: core.value.isFullyPublished
        }
    }

    /// Calls `onPublished` once everything has been published in the present session, or now. The call does not happen
    /// if the session ends before.
    package func whenPublished(_ onPublished: @escaping @Sendable () -> Void) {
        if isPublished { onPublished() } else { core.value.onPublished = onPublished }
    }

    /// A Boolean value that indicates whether nothing runs and everything has been published.
    package var isIdle: Bool {
        if case .answering = core.value.phase { return false }
        return core.value.running.isEmpty && core.value.ledger.outcomes == 0 && core.value.isFullyPublished
    }
}

/// The messages of a publication. These are methods of the value, because a method of the class would count a
/// reference to the session for each state.
extension ChannelServer.Core {
    /// The source that the channel shows.
    fileprivate var shownSource: ObjectIdentifier { mutating get { ObjectIdentifier(source) } }

    fileprivate mutating func hasRoom(for number: UInt32) -> Bool {
        switch phase {
        case .opening(let session, _), .answering(let session, _), .open(let session): session.canPublish(on: number)
        case .away, .closed: false
        }
    }

    /// Adds everything that can be sent to the session.
    ///
    /// - Parameters:
    ///   - server: The channel.
    ///   - frames: Frames that are shared with other channels, or nil.
    ///   - job: Receives the job that must run before the state can be sent.
    /// - Returns: Whether something must be written.
    fileprivate mutating func publish(
        as server: ChannelServer,
        _ frames: inout StateFrames?,
        _ job: inout StateJob?
    ) -> Bool {
        switch phase {
        case .away, .opening, .closed:
            return false
        case .answering(let session, let answer):
            guard let opened = opened(answer, on: session, as: server, &job) else { return false }
            guard opened.state.count <= maximumState else {
                refuseTooLarge(opened, on: session, as: server)
                return false
            }
            session.append { queue in
                queue.addOpened(opened, on: server.number)
                if let host = answer.host { queue.addControl(host, on: server.number) }
            }
            phase = .open(session)
            _ = deliver(on: session, server, &frames, &job)
            return true
        case .open(let session):
            return deliver(on: session, server, &frames, &job)
        }
    }

    /// Refuses `open`, because the state is larger than the client accepts.
    private mutating func refuseTooLarge(_ opened: Opened, on session: Session, as server: ChannelServer) {
        let refusal = OpenRefused(code: .tooLarge, reason: tooLarge(opened.state.count))
        // Later, because the owner of the session may be the caller.
        session.eventLoop.execute { server.refuseAnswer(refusal, on: session) }
    }

    private mutating func tooLarge(_ bytes: Int) -> String {
        "The state has \(bytes) bytes, but the client accepts at most \(maximumState) bytes. Open the channel with a"
            + " larger maximumState."
    }

    /// Adds effects, states, acknowledgements and outcomes to an open session.
    ///
    /// - Returns: Whether anything was added.
    private mutating func deliver(
        on session: Session,
        _ server: ChannelServer,
        _ frames: inout StateFrames?,
        _ job: inout StateJob?
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
                if state.isDirty, output.hasRoom(for: number) { offered = self.offered(frames, &job) }
                if let bytes = offered?.stateBytes(in: frames), bytes > maximumState {
                    // Later, because it changes the session's output.
                    let closed = Closed(code: .failed, reason: tooLarge(bytes))
                    server.eventLoop.execute { server.endUnsendable(closed) }
                    offered = nil
                }
                let (publication, ends) = state.take(offered?.revision, applied: offered?.applied)
                if publication != nil || !ends.isEmpty { hasPublished = true }
                switch publication {
                case .state(let applied):
                    if let offered, let message = causes?.take(offered.revision) {
                        output.queue.addControl(message, on: number)
                    }
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

    /// Adds a state or a change of it to the session's queue.
    private func add(
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
        if !source.isShared { source.log.value.forget(before: offered.revision) }
    }

    fileprivate var isFullyPublished: Bool { mutating get { state.isFullyPublished && !hasUnsentEffects } }

    /// Mutating, because another access would copy the whole value before.
    fileprivate var hasUnsentEffects: Bool { mutating get { !begunEffects.isEmpty || !endedEffects.isEmpty } }

    private mutating func takeEffects() -> [EffectsMessage] {
        defer { (begunEffects, endedEffects) = ([], []) }
        return EffectsMessage.messages(
            revision: state.revision,
            applied: state.released,
            begun: begunEffects,
            ended: endedEffects
        )
    }

    /// Returns the answer to `open`, or nil while it must wait.
    private mutating func opened(
        _ answer: ChannelServer.Answer,
        on session: Session,
        as server: ChannelServer,
        _ job: inout StateJob?
    ) -> Opened? {
        var opened = Opened(revision: 0, applied: state.released, state: [], record: server.record)
        if let known = answer.known, source.log.value.knows(known.revision) {
            // The state stays empty, because the peer already has it.
            opened.revision = known.revision
            opened.applied = known.applied
            causes?.sent = nil
        } else {
            guard session.canPublish(on: server.number), let (offer, applied) = offer(since: nil, &job),
                case .snapshot(let bytes) = offer.content
            else { return nil }
            opened.revision = offer.revision
            opened.applied = applied
            opened.state = bytes
            causes?.noteSent(offer.revision)
        }
        state.opened(with: opened.revision, applied: opened.applied)
        return opened
    }

    /// Returns what can be sent to the peer: a shared frame if it suits this channel and no state is being prepared, or
    /// an offer for this channel alone.
    private mutating func offered(_ frames: StateFrames?, _ job: inout StateJob?) -> Offered? {
        if preparing == nil, let frames, let place = frames.place(since: state.base) {
            return .shared(place: place, revision: frames.revision)
        }
        return offer(since: state.base, &job).map { .own($0.offer, applied: $0.applied) }
    }

    /// Returns a state or a change that can be sent to the peer, with the highest event that it contains. Returns nil
    /// if it must be prepared first.
    ///
    /// - Parameter job: Receives the job that prepares it, unless the job runs already.
    private mutating func offer(
        since base: UInt64?,
        _ job: inout StateJob?
    ) -> (offer: StateOffer, applied: UInt64)? {
        if let (job, applied) = preparing {
            guard let offer = job.offer else { return nil }
            preparing = nil
            if offer.base == nil || offer.base == base, offer.revision >= state.published { return (offer, applied) }
        }
        switch source.log.value.answer(since: base) {
        case .ready(let offer):
            return (offer, state.released)
        case .job(let new):
            preparing = (new, state.released)
            if let released = causes?.released { causes?.prepared = (source.log.value.revision, released) }
            job = new
            return nil
        }
    }
}
