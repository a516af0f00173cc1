import LatticeCore
import LatticeSession
import LatticeTransport
import LatticeWire

/// One feature in a worker: its runtime, and the serving end of its channel.
///
/// During a turn of the reactor it gathers; at the end of the turn it publishes the newest state, the outcomes behind
/// it, and only then lets effects start: no effect runs before the state that asked for it was handed to the socket.
final class FeatureChannel<Feature: HostedFeature>: ServedChannel, EndOfTurn, @unchecked Sendable {
    // Touched on the reactor's thread only.

    private typealias Ended = (event: UInt64, revision: UInt64, outcome: EventOutcome)

    private let number: UInt32
    private let session: Session
    private let reactor: Reactor
    private let runtime: FeatureRuntime<Feature.DomainState, Feature.Action>
    private let onIdle: () -> Void
    private var server: ChannelServer
    private var running: [UInt64: EventTask] = [:]
    private var ended: [Ended] = []
    private var isDraining = false
    private var isClosed = false
    private var isRegistered = false
    private var encoded: [UInt8] = []

    init(
        number: UInt32,
        state: Feature.DomainState,
        server: ChannelServer,
        session: Session,
        isolation: ReactorActor,
        onIdle: @escaping () -> Void
    ) {
        self.number = number
        self.server = server
        self.session = session
        self.onIdle = onIdle
        reactor = session.connection.reactor
        runtime = FeatureRuntime(
            initialState: state,
            interactor: Feature.interactor(),
            isolation: isolation,
            effectStart: .held,
            areStatesEqual: { $0 == $1 }
        )
        runtime.onTurn = { [weak self] changed in
            if changed { self?.server.change() }
            self?.publishSoon()
        }
    }

    var isIdle: Bool { running.isEmpty && ended.isEmpty }

    func announce(startedFrom state: [UInt8]?) {
        if state == nil {
            // The first state counts as a change from nothing, so that its number is above 0.
            server.change()
        }
        server.republish()
        do {
            let opened = Opened(
                revision: server.revision,
                applied: server.applied,
                // Empty: the state is the one that came with `open`.
                state: state == nil ? try CBOREncoder().encode(runtime.state) : []
            )
            session.send { $0.addData(opened, on: number) }
        } catch {
            session.abort(.violation("the state of \(Feature.identifier) cannot be encoded: \(error)"))
        }
    }

    // MARK: Events

    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        if kind == .cancel {
            running[try CancelMessage(decoding: body).event]?.cancel()
            return
        }
        let message = try EventMessage.Borrowed(decoding: body)
        guard server.receive(event: message.event) == .apply else { return }
        server.apply(through: message.event)
        publishSoon()
        guard !isDraining else {
            return end(message.event, .rejected(.closed.with(reason: "the worker is finishing and takes nothing new")))
        }
        let action: Feature.Action
        do {
            action = try CBORDecoder().decode(Feature.Action.self, from: message.action)
        } catch {
            let reason = "the action cannot be decoded by the worker: \(error)"
            return end(message.event, .rejected(.undecodable.with(reason: reason)))
        }
        send(action, as: message.event)
    }

    private func send(_ action: Feature.Action, as event: UInt64) {
        let task = runtime.send(action, identity: EventID(rawValue: event))
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
        ended.append((event, server.complete(event), outcome))
        publishSoon()
    }

    // MARK: Publishing

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
        runtime.startHeldEffects()
        if isIdle { onIdle() }
    }

    private func publish() {
        let canPublish = !server.isDirty || session.canPublish(on: number)
        let ended = self.ended
        self.ended.removeAll(keepingCapacity: true)
        var publication: ChannelServer.Publication?
        if canPublish {
            if server.isDirty { encodeState() }
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
                outbox.addCompletion(end.event, revision: end.revision, outcome: end.outcome, on: number)
            }
        }
    }

    private func encodeState() {
        encoded.removeAll(keepingCapacity: true)
        do {
            try CBOREncoder().encode(runtime.state, into: &encoded)
        } catch {
            session.abort(.violation("the state of \(Feature.identifier) cannot be encoded: \(error)"))
        }
    }

    // MARK: Ending

    func drain() {
        isDraining = true
    }

    func close() {
        isClosed = true
        runtime.cancelAll()
    }
}
