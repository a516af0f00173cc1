package import LatticeCore
package import LatticeTransport
package import LatticeWire
import Synchronization

/// A feature that somebody else serves: events go there, states and outcomes come back.
///
/// Events may be sent from any thread; they go out in the order of their numbers. What comes back is gathered during a
/// turn of the reactor and handed on once at its end, so that of many states only the newest is decoded.
package final class RemoteChannel<Action: Encodable & Sendable, State: Decodable & Sendable>:
    RoutedChannel, EndOfTurn, @unchecked Sendable
{
    // `gathered` and what belongs to it is touched on the reactor's thread only, all else is `let` or inside `core`.

    private struct Core {
        var opener: ChannelOpener<EventCompletion>
        var session: Session?
        var isContinuation = false
    }

    /// What is opened.
    package struct Subject: Sendable {
        package let feature: String
        package let schema: Int
        package let instance: String
        /// Whether the other side starts from the state that this side knows, as a new worker does.
        package let restoresState: Bool

        package init(feature: String, schema: Int, instance: String, restoresState: Bool) {
            self.feature = feature
            self.schema = schema
            self.instance = instance
            self.restoresState = restoresState
        }
    }

    /// So many events on their way are written by who sends them, which is soonest; the reactor writes what comes on top.
    private static var directEvents: Int { 8 }

    package let number: UInt32
    package let subject: Subject
    package let reactor: Reactor
    private let core: Mutex<Core>
    private let deliversEveryState: Bool
    /// Called on the reactor's thread.
    private let deliver: @Sendable (Delivery<State>) -> Void

    private var gathered = ChannelNews()
    private var gatheredBytes: [UInt8]?
    private var isGathering = false

    /// - Parameters:
    ///   - deliversEveryState: Whether each state that comes is decoded and delivered by itself, for those who count or
    ///     record them, instead of the newest one of a turn.
    ///   - deliver: Called on the reactor's thread.
    package init(
        number: UInt32,
        subject: Subject,
        reactor: Reactor,
        limits: ChannelLimits = ChannelLimits(),
        deliversEveryState: Bool = false,
        deliver: @escaping @Sendable (Delivery<State>) -> Void
    ) {
        self.number = number
        self.subject = subject
        self.reactor = reactor
        self.deliversEveryState = deliversEveryState
        self.deliver = deliver
        core = Mutex(Core(opener: ChannelOpener(limits: limits)))
    }

    // MARK: Sending

    /// Sends an action as an event. Any thread.
    package func send(_ action: Action) -> EventTask {
        EventTask(completion: sendTracked(action))
    }

    /// The same for those who compare the completion with what is delivered.
    package func sendTracked(_ action: Action) -> EventCompletion {
        do {
            return send(encoded: try CBOREncoder().encode(action)).completion
        } catch {
            let completion = EventCompletion(hasEffects: false)
            completion.complete(.rejected(.undecodable.with(reason: "the action cannot be encoded: \(error)")))
            return completion
        }
    }

    /// Sends an action that is encoded already.
    ///
    /// - Returns: What ends with the event, and the event's number; nil when it was rejected at once.
    package func send(encoded action: [UInt8]) -> (completion: EventCompletion, event: UInt64?) {
        let (completion, event, session, rejection, isBusy) = core.withLock { core in
            let next = core.opener.nextEvent
            let completion = EventCompletion { [weak self] in self?.cancel(next) }
            switch core.opener.send(action, ticket: completion) {
            case .reject(let rejection):
                return (completion, UInt64?.none, Session?.none, EventRejection?.some(rejection), false)
            case .wait(let event):
                return (completion, event, nil, nil, false)
            case .transmit(let event):
                // Inside the lock, so that events leave in the order of their numbers; the socket is written outside.
                core.session?.append { outbox in
                    outbox.addEvent(event, action: action, on: number)
                }
                return (completion, event, core.session, nil, core.opener.unacknowledged > Self.directEvents)
            }
        }
        if isBusy { session?.flushOnReactor() } else { session?.flushSoon() }
        if let rejection { completion.complete(.rejected(rejection)) }
        return (completion, event)
    }

    private func cancel(_ event: UInt64) {
        let (cancelling, session) = core.withLock { ($0.opener.cancel(event), $0.session) }
        switch cancelling {
        case .nothing: break
        case .end(let completion): completion.complete(.cancelled)
        case .transmit: session?.sendControl(CancelMessage(event: event), on: number)
        }
    }

    // MARK: Sessions

    package func open(on session: Session, isContinuation: Bool) {
        let open = core.withLock { core in
            core.session = session
            core.isContinuation = isContinuation
            core.opener.startOpening()
            return Open(
                feature: subject.feature,
                schema: UInt32(subject.schema),
                instance: subject.instance,
                state: subject.restoresState ? core.opener.state : nil,
                revision: core.opener.revision,
                resumeAfter: core.opener.acknowledged
            )
        }
        session.send { $0.addData(open, on: number) }
    }

    package func detach(interruption: Interruption?) {
        let tickets = core.withLock { core -> [EventCompletion] in
            core.session = nil
            guard interruption != nil else {
                core.opener.detach()
                return []
            }
            return core.opener.detachInterrupting()
        }
        guard let interruption, !tickets.isEmpty else { return }
        gatherSoon { $0.endings += tickets.map { .init(completion: $0, outcome: .interrupted(interruption)) } }
    }

    package func close(_ rejection: EventRejection, interruption: Interruption) {
        let endings = core.withLock { core in
            core.session = nil
            return core.opener.close(rejection, interruption: interruption)
        }
        gatherSoon { gathered in
            gathered.endings += endings.map { .init(completion: $0.ticket, outcome: $0.outcome) }
            gathered.rejection = rejection
        }
    }

    package func revive() {
        core.withLock { $0.opener.revive() }
    }

    package func report(_ host: HostStatus) {
        gatherSoon { $0.host = host }
    }

    // MARK: Receiving

    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError) {
        switch kind {
        case .state:
            let message = try StateMessage.Borrowed(decoding: body)
            receive(state: [UInt8](message.state), revision: message.revision, applied: message.applied)
        case .completion:
            try receive(try CompletionMessage(decoding: body))
        case .acknowledgement:
            let message = try AcknowledgementMessage(decoding: body)
            core.withLock { $0.opener.receive(acknowledgement: message.applied, revision: message.revision) }
            gatherSoon()
        case .opened:
            receive(try Opened(decoding: body))
        case .openRefused:
            let refused = try OpenRefused(decoding: body)
            close(.schema.with(reason: refused.reason), interruption: Interruption(cause: .disconnected, incarnation: 0))
        case .hostStatus:
            report(HostStatus(try HostStatusMessage(decoding: body)))
        case .closed:
            let closed = try Closed(decoding: body)
            close(.closed.with(reason: closed.reason), interruption: Interruption(cause: .disconnected, incarnation: 0))
        default:
            throw .unexpected(kind, at: "the side that opened its channel")
        }
    }

    private func receive(state bytes: [UInt8], revision: UInt64, applied: UInt64) {
        guard let endings = core.withLock({ $0.opener.receive(state: bytes, revision: revision, applied: applied) })
        else { return }
        gatheredBytes = bytes
        for ending in endings { gathered.endings.append(.init(completion: ending.ticket, outcome: ending.outcome)) }
        if deliversEveryState { handOn() } else { gatherSoon() }
    }

    private func receive(_ message: CompletionMessage) throws(WireError) {
        let outcome = EventOutcome(message.outcome)
        let ending: ChannelOpener<EventCompletion>.Ending?
        do throws(SessionError) {
            ending = try core.withLock { core throws(SessionError) in
                try core.opener.receive(completion: message.event, revision: message.revision, outcome: outcome)
            }
        } catch {
            throw .session(error.message)
        }
        guard let ending else { return }
        gathered.endings.append(.init(completion: ending.ticket, outcome: ending.outcome))
        gatherSoon()
    }

    private func receive(_ message: Opened) {
        // An empty state stands for the one that went out with `open`.
        let bytes = message.state.isEmpty ? nil : message.state
        let (reopening, session) = core.withLock { core in
            let reopening = core.opener.opened(
                state: bytes,
                revision: message.revision,
                applied: message.applied,
                isContinuation: core.isContinuation
            )
            core.session?.append { outbox in
                for event in reopening.resending {
                    outbox.addEvent(event.event, action: event.action, on: number)
                    if event.isCancelled { outbox.addControl(CancelMessage(event: event.event), on: number) }
                }
            }
            return (reopening, core.session)
        }
        session?.flushSoon()
        let interruption = Interruption(cause: .disconnected, incarnation: 0)
        gather { gathered in
            gathered.isOpened = true
            gathered.endings += reopening.interrupted.map { .init(completion: $0, outcome: .interrupted(interruption)) }
        }
        if let bytes { gatheredBytes = bytes }
    }

    // MARK: Handing on

    /// Any thread.
    private func gatherSoon(_ add: @escaping @Sendable (inout ChannelNews) -> Void) {
        if reactor.isCurrent { gather(add) } else { reactor.execute { [self] in gather(add) } }
    }

    private func gather(_ add: (inout ChannelNews) -> Void) {
        add(&gathered)
        gatherSoon()
    }

    /// Hands on what is gathered at the end of the turn.
    private func gatherSoon() {
        guard !isGathering else { return }
        isGathering = true
        reactor.atEndOfTurn(self)
    }

    package func endOfTurn() {
        isGathering = false
        handOn()
    }

    private func handOn() {
        var delivery = Delivery<State>()
        swap(&delivery.news, &gathered)
        delivery.news.acknowledged = core.withLock { $0.opener.acknowledged }
        if let bytes = gatheredBytes {
            gatheredBytes = nil
            do {
                delivery.state = try CBORDecoder().decode(State.self, from: bytes)
            } catch {
                core.withLock(\.session)?.abort(.violation("the state of \(subject.feature) cannot be decoded: \(error)"))
            }
        }
        deliver(delivery)
    }
}
