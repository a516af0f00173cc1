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
        var isDue = false
        while true {
            var job: StateJob?
            isDue = addMessages(&frames, &job) || isDue
            guard let job else { break }
            guard !core.value.source.isShared, !job.isLarge else {
                // The job does not run on the thread of all channels.
                job.runInBackground { [self] in
                    eventLoop.execute { [self] in
                        if run(job), publish() { core.value.session?.flushSoon() }
                    }
                }
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

    /// Adds everything that can be sent to the session.
    ///
    /// - Parameter job: Receives the job that must run before the state can be sent.
    /// - Returns: Whether something must be written.
    private func addMessages(_ frames: inout StateFrames?, _ job: inout StateJob?) -> Bool {
        switch core.value.phase {
        case .away, .opening, .closed:
            return false
        case .answering(let session, let answer):
            guard let opened = core.value.opened(answer, on: session, record: record, number, &job) else {
                return false
            }
            guard opened.state.count <= core.value.maximumState else {
                refuseTooLarge(opened, on: session)
                return true
            }
            session.append { queue in
                queue.addOpened(opened, on: number)
                if let host = answer.host { queue.addControl(host, on: number) }
            }
            self.opened(on: session)
            _ = deliver(on: session, &frames, &job)
            return true
        case .open(let session):
            return deliver(on: session, &frames, &job)
        }
    }

    /// Refuses `open`, because the state is larger than the client accepts.
    private func refuseTooLarge(_ opened: Opened, on session: Session) {
        let refusal = OpenRefused(code: .tooLarge, reason: tooLarge(opened.state.count))
        session.append { $0.addControl(refusal, on: number) }
        session.flushSoon()
        _ = leave(session)
        // Later, because the owner of the session may be the caller.
        eventLoop.execute { [self] in wasRefused(on: session) }
    }

    private func tooLarge(_ bytes: Int) -> String {
        "The state has \(bytes) bytes, but the client accepts at most \(core.value.maximumState) bytes. Open the channel"
            + " with a larger maximumState."
    }

    /// Adds effects, states, acknowledgements and outcomes to an open session.
    ///
    /// - Returns: Whether anything was added.
    private func deliver(on session: Session, _ frames: inout StateFrames?, _ job: inout StateJob?) -> Bool {
        var hasPublished = false
        session.change { output in
            // Effects are added before the state that they belong to, so that the peer applies both together.
            if core.value.hasUnsentEffects {
                for message in core.value.takeEffects() { output.queue.addControl(message, on: number) }
                hasPublished = true
            }
            var isLast = false
            repeat {
                var offered: Offered?
                if core.value.state.isDirty, output.hasRoom(for: number) {
                    offered = core.value.offered(frames, &job)
                }
                if let bytes = offered?.stateBytes(in: frames), bytes > core.value.maximumState {
                    // Later, because it changes the session's output.
                    let closed = Closed(code: .failed, reason: tooLarge(bytes))
                    eventLoop.execute { [self] in endUnsendable(closed) }
                    offered = nil
                }
                let (publication, ends) = core.value.state.take(offered?.revision, applied: offered?.applied)
                if publication != nil || !ends.isEmpty { hasPublished = true }
                switch publication {
                case .state(let applied):
                    if let offered { add(offered, applied: applied, to: &output.queue, &frames) }
                case .acknowledgement(let applied, let revision):
                    output.queue.addControl(AcknowledgementMessage(applied: applied, revision: revision), on: number)
                case nil:
                    break
                }
                for end in ends {
                    output.queue.addCompletion(
                        end.first,
                        through: end.last,
                        revision: core.value.state.revision,
                        outcome: end.outcome,
                        on: number
                    )
                }
                // While a state was prepared for a long time, a newer one may have been released.
                isLast = offered == nil || !core.value.state.isDirty
            } while !isLast
        }
        return hasPublished
    }

    /// Adds a state or a change of it to the session's queue.
    private func add(_ offered: Offered, applied: UInt64, to queue: inout WriteQueue, _ frames: inout StateFrames?) {
        switch offered {
        case .shared(let place, _):
            frames?.add(at: place, to: &queue, applied: applied, on: number)
        case .own(let offer, _) where frames?.revision == offer.revision:
            frames?.add(offer, to: &queue, applied: applied, on: number)
        case .own(let offer, _):
            queue.addState(offer, applied: applied, on: number)
        }
        if !core.value.source.isShared { core.value.source.value.forget(before: offered.revision) }
    }

    // MARK: What was published

    /// Returns whether a new state would be sent at once. If not, it waits behind an older one, and the end of a tick
    /// is signalled when there is room.
    package func hasRoom() -> Bool { core.value.session?.canPublish(on: number) ?? false }

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
        return core.value.running.isEmpty && core.value.unreleased.count == 0 && core.value.isFullyPublished
    }
}

extension ChannelServer.Core {
    fileprivate var isFullyPublished: Bool { state.isFullyPublished && !hasUnsentEffects }

    fileprivate var hasUnsentEffects: Bool { !begunEffects.isEmpty || !endedEffects.isEmpty }

    fileprivate mutating func takeEffects() -> [EffectsMessage] {
        defer { (begunEffects, endedEffects) = ([], []) }
        return EffectsMessage.messages(
            revision: state.revision,
            applied: state.released,
            begun: begunEffects,
            ended: endedEffects
        )
    }

    /// Returns the answer to `open`, or nil while it must wait.
    fileprivate mutating func opened(
        _ answer: ChannelServer.Answer,
        on session: Session,
        record: UInt64?,
        _ number: UInt32,
        _ job: inout StateJob?
    ) -> Opened? {
        var opened = Opened(revision: 0, applied: state.released, state: [], record: record)
        if let known = answer.known, source.value.knows(known.revision) {
            // The state stays empty, because the peer already has it.
            opened.revision = known.revision
            opened.applied = known.applied
        } else {
            guard session.canPublish(on: number), let (offer, applied) = offer(since: nil, &job),
                case .snapshot(let bytes) = offer.content
            else { return nil }
            opened.revision = offer.revision
            opened.applied = applied
            opened.state = bytes
        }
        state.opened(with: opened.revision, applied: opened.applied)
        return opened
    }

    /// Returns what can be sent to the peer: a shared frame if it suits this channel and no state is being prepared, or
    /// an offer for this channel alone.
    fileprivate mutating func offered(_ frames: StateFrames?, _ job: inout StateJob?) -> Offered? {
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
        switch source.value.answer(since: base) {
        case .ready(let offer):
            return (offer, state.released)
        case .job(let new):
            preparing = (new, state.released)
            job = new
            return nil
        }
    }
}
