import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire

/// The serving end of a worker's channel, in bytes, and the feature behind it.
///
/// During a turn of the reactor it gathers; at the end of the turn it publishes the newest state and the outcomes
/// behind it. Effects start when all of that has gone into the socket: whatever an effect does to this process, the
/// state that asked for it arrives.
final class FeatureChannel: EndOfTurn, @unchecked Sendable {
    // Touched on the reactor's thread only, and never inside one another; asking at run time costs more than a turn.

    /// So many outcomes are gathered in a turn for one write.
    private static let endingsPerWrite = 64

    /// An event, or several in a row that ended `finished`, and the state that the last of them belongs to.
    private struct Ended {
        let first: UInt64
        var last: UInt64
        var revision: UInt64
        let outcome: EventOutcome
    }

    private let number: UInt32
    private let session: Session
    private let reactor: Reactor
    private let feature: any FeatureRunning
    private let limits: ChannelLimits
    private let onIdle: (Session) -> Void
    @exclusivity(unchecked) private var server: ChannelServer
    @exclusivity(unchecked) private var origins: OriginTable
    @exclusivity(unchecked) private var running: [UInt64: EventTask] = [:]
    @exclusivity(unchecked) private var ended: [Ended] = []
    /// How many events that are.
    @exclusivity(unchecked) private var endings = 0
    @exclusivity(unchecked) private var isDraining = false
    @exclusivity(unchecked) private var isClosed = false
    @exclusivity(unchecked) private var isRegistered = false
    private var encoded: [UInt8] = []

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
        self.session = session
        self.onIdle = onIdle
        reactor = session.connection.reactor
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
    var isIdle: Bool { running.isEmpty && ended.isEmpty && !server.isDirty }

    /// Tells the opener where the feature starts; `state` is what it was given to start from.
    func announce(startedFrom state: [UInt8]?) {
        if state == nil {
            // The first state counts as a change from nothing, so that its number is above 0.
            server.change()
        }
        server.republish()
        // Empty: the state is the one that came with `open`.
        encoded = []
        if state == nil, !encodeState() { return }
        let opened = Opened(revision: server.revision, applied: server.applied, state: encoded)
        session.send { $0.addData(opened, on: number) }
    }

    // MARK: Events

    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .cancel: try cancel(try CancelMessage(decoding: body).event)
        case .origin: origins.introduce(try OriginMessage(decoding: body))
        default: try receive(try EventMessage.Borrowed(decoding: body))
        }
    }

    private func receive(_ message: EventMessage.Borrowed) throws(WireError) {
        let identity = try origins.identity(of: message)
        let receipt = server.receive(event: message.event)
        guard receipt != .duplicate else { return }
        server.apply(through: message.event)
        publishSoon()
        guard !isDraining else {
            return end(message.event, .rejected(.closed.with(reason: "the worker is finishing and takes nothing new")))
        }
        guard running.count < limits.maximumRunning else {
            let reason = "the effects of \(running.count) events run, and no more may; wait for some of them to end"
            return end(message.event, .rejected(.overloaded.with(reason: reason)))
        }
        do {
            follow(try feature.send(message.action, as: identity), message.event)
        } catch {
            let reason = "the action cannot be decoded by the worker: \(error)"
            return end(message.event, .rejected(.undecodable.with(reason: reason)))
        }
        if receipt == .applyCancelled { running[message.event]?.cancel() }
    }

    private func cancel(_ event: UInt64) throws(WireError) {
        do throws(SessionError) {
            if try server.cancel(event: event) { running[event]?.cancel() }
        } catch {
            throw .session(error.message)
        }
    }

    private func follow(_ task: EventTask, _ event: UInt64) {
        if let outcome = task.outcome { return end(event, outcome) }
        running[event] = task
        task.onCompletion { [weak self] outcome in
            guard let self else { return }
            if reactor.isCurrent {
                end(event, outcome)
            } else {
                reactor.execute { self.end(event, outcome) }
            }
        }
    }

    private func end(_ event: UInt64, _ outcome: EventOutcome) {
        if !running.isEmpty { running[event] = nil }
        let revision = server.complete(event)
        endings += 1
        if case .finished = outcome, let last = ended.indices.last, ended[last].last + 1 == event,
            case .finished = ended[last].outcome
        {
            ended[last].last = event
            ended[last].revision = revision
        } else {
            ended.append(Ended(first: event, last: event, revision: revision, outcome: outcome))
        }
        if endings < Self.endingsPerWrite { return publishSoon() }
        // A long turn does not keep the opener waiting for its end.
        publish()
        session.flush()
    }

    // MARK: Publishing

    /// Publishes at the end of the turn, also what could not be published before.
    func publishSoon() {
        guard !isRegistered, !isClosed else { return }
        isRegistered = true
        reactor.atEndOfTurn(self)
    }

    func endOfTurn() {
        isRegistered = false
        guard !isClosed else { return }
        publish()
        session.flush()
        if !server.isDirty, session.hasWrittenAll() { feature.startHeldEffects() }
        if isIdle { onIdle(session) }
    }

    private func publish() {
        let canPublish = !server.isDirty || session.canPublish(on: number)
        let ended = self.ended
        self.ended.removeAll(keepingCapacity: true)
        endings = 0
        var publication: ChannelServer.Publication?
        if canPublish {
            if server.isDirty, !encodeState() { return }
            publication = server.publish()
        }
        guard publication != nil || !ended.isEmpty else { return }
        session.append { outbox in
            switch publication {
            case .state(let revision, let applied):
                outbox.addState(encoded, revision: revision, applied: applied, on: number)
            case .acknowledgement(let applied, let revision):
                outbox.addControl(AcknowledgementMessage(applied: applied, revision: revision), on: number)
            case nil:
                break
            }
            for end in ended {
                outbox.addCompletion(
                    end.first,
                    through: end.last,
                    revision: end.revision,
                    outcome: end.outcome,
                    on: number
                )
            }
        }
    }

    private func encodeState() -> Bool {
        encoded.removeAll(keepingCapacity: true)
        do {
            try feature.encodeState(into: &encoded)
            return true
        } catch {
            session.abort(.violation("the state of \(feature.identifier) cannot be encoded: \(error)"))
            return false
        }
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

    /// Cancels what runs, for good.
    func close() {
        // What ran ends cancelled, and the opener hears of that before it hears `closed`.
        feature.close()
        publish()
        isClosed = true
    }
}
