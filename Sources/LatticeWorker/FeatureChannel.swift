import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire

/// The serving end of a worker's channel, in bytes, and the feature behind it.
///
/// During a turn of the reactor it gathers; at the end of the turn it publishes the newest state and the outcomes
/// behind it. Effects start when the state that asked for them has gone into the socket: whatever an effect does to this
/// process, that state arrives.
final class FeatureChannel: TickObserver, @unchecked Sendable {
    // Touched on the reactor's thread only, and never inside one another; asking at run time costs more than a turn.

    /// So many outcomes are gathered in a turn for one write.
    private static let endingsPerWrite = 64

    /// An event, or several in a row that ended `finished`, and the state that the last of them belongs to.
    struct Ended {
        let first: UInt64
        var last: UInt64
        var revision: UInt64
        var outcome: EventOutcome
    }

    private let number: UInt32
    let session: Session
    private let eventLoop: any EventLoop
    let feature: any FeatureRunning
    private let limits: ChannelLimits
    /// Where events come from that say nothing else, as most do.
    private let origin: EventOrigin
    private let onIdle: (Session) -> Void
    @exclusivity(unchecked) var server: ChannelServer
    @exclusivity(unchecked) private var origins: OriginTable
    @exclusivity(unchecked) var running: [UInt64: EventTask] = [:]
    @exclusivity(unchecked) var ended: [Ended] = []
    /// How many events that are.
    @exclusivity(unchecked) private var endings = 0
    @exclusivity(unchecked) private var isDraining = false
    @exclusivity(unchecked) private var isClosed = false
    @exclusivity(unchecked) private var isRegistered = false
    /// The newest state that could be encoded, and its number.
    @exclusivity(unchecked) var encoded: [UInt8] = []
    @exclusivity(unchecked) var securedRevision: UInt64 = 0
    @exclusivity(unchecked) private var spare: [UInt8] = []
    @exclusivity(unchecked) var unsecured = UnsecuredEvents()
    /// Why the present state cannot be sent, until it is rolled back.
    @exclusivity(unchecked) private var failure: EffectFailure?
    /// Tells the opener where the feature starts, once there is room.
    @exclusivity(unchecked) private var announcement: Opened?
    /// Effects whose states are on their way into the socket.
    @exclusivity(unchecked) private var effectsBehindState: Int?

    init(
        number: UInt32,
        feature: any FeatureRunning,
        server: ChannelServer,
        origins: OriginTable,
        session: Session,
        limits: ChannelLimits,
        onIdle: @escaping (Session) -> Void
    ) {
        self.limits = limits
        self.number = number
        self.server = server
        self.origins = origins
        origin = origins.opener
        self.session = session
        self.onIdle = onIdle
        eventLoop = session.connection.eventLoop
        self.feature = feature
        // Unowned, since a weak reference slows down every other one; `deinit` takes the closure away.
        feature.onTurn = { [unowned self] changed in
            if changed { self.server.change() }
            publishSoon()
        }
    }

    deinit {
        feature.onTurn = nil
    }

    /// Whether nothing runs and everything was told.
    var isIdle: Bool { running.isEmpty && ended.isEmpty && !server.isDirty && announcement == nil }

    /// Tells the opener where the feature starts; `state` is what it was given to start from.
    ///
    /// - Throws: Why the initial state cannot be sent.
    func announce(startedFrom state: [UInt8]?) throws(EffectFailure) {
        if let state {
            encoded = state
            securedRevision = server.revision
        } else {
            // The first state counts as a change from nothing, so that its number is above 0.
            server.change()
            if let failure = secure() { throw failure }
        }
        server.republish()
        // Empty: the state is the one that came with `open`.
        announcement = Opened(revision: server.revision, applied: server.applied, state: state == nil ? encoded : [])
        publish()
        session.flushSoon()
    }

    // MARK: Events

    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .cancel: try cancel(try CancelMessage(decoding: body).event)
        case .origin: origins.introduce(try OriginMessage(decoding: body))
        default:
            try receive(try EventMessage.Borrowed(decoding: body))
            publishMany()
        }
    }

    private func receive(_ message: EventMessage.Borrowed) throws(WireError) {
        let identity =
            message.origin == nil
            ? EventID(origin: origin, number: message.event) : try origins.identity(of: message)
        let receipt = server.receive(event: message.event)
        if case .duplicate = receipt { return }
        server.apply(through: message.event)
        publishSoon()
        guard !isDraining else {
            return end(message.event, .rejected(.closed.with(reason: "the worker is finishing and takes nothing new")))
        }
        guard running.count < limits.maximumRunning else {
            let reason = "the effects of \(running.count) events run, and no more may; wait for some of them to end"
            return end(message.event, .rejected(.overloaded.with(reason: reason)))
        }
        unsecured.append(message.event, identity, message.action)
        do {
            follow(try feature.send(message.action, as: consume identity), message.event)
        } catch {
            unsecured.removeLast()
            let reason = "the action cannot be decoded by the worker: \(error)"
            return end(message.event, .rejected(.undecodable.with(reason: reason)))
        }
        if case .applyCancelled = receipt { running[message.event]?.cancel() }
    }

    private func cancel(_ event: UInt64) throws(WireError) {
        do throws(SessionError) {
            if try server.cancel(event: event) { running[event]?.cancel() }
        } catch {
            throw .session(error.detail)
        }
    }

    func follow(_ task: EventTask, _ event: UInt64) {
        if let outcome = task.outcome { return end(event, outcome) }
        running[event] = task
        task.onCompletion { [weak self] outcome in
            guard let self else { return }
            if eventLoop.isCurrent {
                endRunning(event, outcome)
            } else {
                eventLoop.execute { self.endRunning(event, outcome) }
            }
        }
    }

    /// Not for an event that was rolled back, which is applied again or has failed.
    private func endRunning(_ event: UInt64, _ outcome: EventOutcome) {
        if running[event] != nil { end(event, outcome) }
    }

    func end(_ event: UInt64, _ outcome: EventOutcome) {
        if !running.isEmpty { running[event] = nil }
        let revision = server.complete(event)
        endings += 1
        // What may be rolled back is not joined to what may not.
        if case .finished = outcome, let last = ended.indices.last, ended[last].last + 1 == event,
            event != unsecured.events.first?.number, case .finished = ended[last].outcome
        {
            ended[last].last = event
            ended[last].revision = revision
        } else {
            ended.append(Ended(first: event, last: event, revision: revision, outcome: outcome))
        }
        publishSoon()
    }

    // MARK: Publishing

    /// Publishes at the end of the turn, also what could not be published before.
    func publishSoon() {
        guard !isRegistered, !isClosed else { return }
        isRegistered = true
        eventLoop.atEndOfTick(self)
    }

    /// A long turn does not keep the opener waiting for its end. Between two events only: while one is applied, or while
    /// what was lost is applied again, the state is not that of the events that the server has counted.
    private func publishMany() {
        guard endings >= Self.endingsPerWrite, failure == nil else { return }
        publish()
        session.flush()
    }

    func tickEnded() {
        isRegistered = false
        guard !isClosed else { return }
        publish()
        if let failure = failure.take() {
            rollBack(failure)
            publish()
        }
        session.flush()
        startEffects()
        if isIdle { onIdle(session) }
    }

    /// Publishes what there is room for. A state that cannot be sent holds up all that is behind it, until it is rolled
    /// back at the end of the turn.
    ///
    /// - Parameter isLast: Whether outcomes are told without the state that they belong to, if there is no room for it.
    private func publish(isLast: Bool = false) {
        endings = 0
        guard failure == nil, announce() else { return }
        let canPublish = !server.isDirty || session.canPublish(on: number)
        guard canPublish || isLast || unsecured.isFull else { return }
        if server.isDirty {
            failure = secure()
            guard failure == nil else { return publishSoon() }
        }
        guard canPublish || isLast else { return }
        let publication = canPublish ? server.publish() : nil
        let ended = self.ended
        self.ended.removeAll(keepingCapacity: true)
        guard publication != nil || !ended.isEmpty else { return }
        session.append { queue in
            switch publication {
            case .state(let revision, let applied):
                queue.addState(encoded, revision: revision, applied: applied, on: number)
            case .acknowledgement(let applied, let revision):
                queue.addControl(AcknowledgementMessage(applied: applied, revision: revision), on: number)
            case nil:
                break
            }
            for end in ended {
                queue.addCompletion(
                    end.first,
                    through: end.last,
                    revision: end.revision,
                    outcome: end.outcome,
                    on: number
                )
            }
        }
    }

    /// - Returns: Whether the opener has been told where the feature starts.
    private func announce() -> Bool {
        guard let announcement else { return true }
        guard announcement.state.isEmpty || session.canPublish(on: number) else { return false }
        session.append { $0.addData(announcement, on: number) }
        self.announcement = nil
        return true
    }

    /// Encodes the present state, which is what a roll-back goes to from now on.
    ///
    /// - Returns: Why it cannot be sent; nothing has changed then.
    func secure() -> EffectFailure? {
        spare.removeAll(keepingCapacity: true)
        do {
            try feature.encodeState(into: &spare)
        } catch {
            return .stateNotEncodable(of: feature.identifier, error, isFirst: encoded.isEmpty)
        }
        guard spare.count <= limits.maximumState else {
            defer { spare = [] }
            let (bytes, limit) = (spare.count, limits.maximumState)
            return .stateTooLarge(of: feature.identifier, bytes: bytes, limit: limit, isFirst: encoded.isEmpty)
        }
        swap(&encoded, &spare)
        securedRevision = server.revision
        unsecured.removeAll()
        feature.secure()
        return nil
    }

    /// Starts the effects whose states are in the socket. Those of states that come later do not hold them up.
    private func startEffects() {
        if let count = effectsBehindState {
            guard session.hasWritten(on: number) else { return }
            effectsBehindState = nil
            feature.startHeldEffects(count)
        }
        let count = feature.heldEffects
        guard count > 0, !server.isDirty else { return }
        if session.hasWritten(on: number) { feature.startHeldEffects(count) } else { effectsBehindState = count }
    }

    // MARK: Ending

    /// Takes no new events.
    func drain() {
        isDraining = true
    }

    /// Cancels what runs now; each event still ends with its outcome.
    func cancelRunning() {
        for task in running.values { task.cancel() }
    }

    /// Ends what has not been announced: nobody is to hear of it.
    func abandon() {
        isClosed = true
        feature.close()
    }

    /// Cancels what runs, for good.
    func close() {
        // What ran ends cancelled, and the opener hears of that before it hears `closed`.
        feature.close()
        publish(isLast: true)
        if let failure = failure.take() {
            rollBack(failure)
            publish(isLast: true)
        }
        if effectsBehindState != nil { session.stopAwaiting(number) }
        isClosed = true
    }
}
