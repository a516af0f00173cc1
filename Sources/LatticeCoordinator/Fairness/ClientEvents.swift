import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// Sends the events of an instance's clients on to its worker, each client's in their order. What it takes, and whose
/// turn it is, is decided by ``EventShares``.
final class ClientEvents: Sendable {
    typealias Job = SharingQueue.Job

    /// Where events go, and how their ends are told behind the states that they ended with.
    struct Link: Sendable {
        let channel: ChannelClient
        let tell: @Sendable (@escaping Job) -> Void
    }

    private struct Weak {
        // So that a client that has nothing here any more leaves nothing here.
        weak var forwarder: EventForwarder?
    }

    private struct Core {
        var shares: EventShares<ForwardedEvent>
        var slots: [EventSender: Int] = [:]
        /// By their slots.
        var forwarders: [Int: Weak] = [:]
        var link: Link?
    }

    private let core: Locked<Core>
    /// Whether clients are told what is known of the end of a worker.
    private let sharesReports: Bool

    init(limits: ShareLimits = ShareLimits(), sharesReports: Bool = false) {
        self.sharesReports = sharesReports
        core = Locked(Core(shares: EventShares(limits: limits)))
    }

    /// Once, before there are clients.
    func connect(_ link: Link) {
        core.withLock { $0.link = link }
    }

    // MARK: Clients

    /// What serves the channels of a client: the same for all of them, as long as it has something here.
    func forwarder(of client: EventSender) -> EventForwarder {
        core.withLock { core in
            if let slot = core.slots[client], let forwarder = core.forwarders[slot]?.forwarder {
                core.shares.find(slot)
                return forwarder
            }
            let forwarder = EventForwarder(of: client, core.shares.join(), in: self)
            core.slots[client] = forwarder.slot
            core.forwarders[forwarder.slot] = Weak(forwarder: forwarder)
            return forwarder
        }
    }

    fileprivate func existingForwarder(of client: EventSender) -> EventForwarder? {
        core.withLock { core in core.slots[client].flatMap { core.forwarders[$0]?.forwarder } }
    }

    /// Nothing of the client is here any more.
    func forget(_ client: EventSender, _ slot: Int) {
        core.withLock { core in
            core.forwarders[slot] = nil
            core.shares.leave(slot)
            // It may have come again meanwhile.
            if core.slots[client] == slot { core.slots[client] = nil }
        }
    }

    /// A client has left a channel to the instance without closing it.
    func leaveBehind(_ channel: ChannelServer, of client: EventSender) {
        existingForwarder(of: client)?.leaveBehind(channel)
    }

    /// A client is gone for good, with channels that it has left behind.
    ///
    /// - Parameter cancelling: Whether its events are cancelled; else they go on, with those of others that are gone as
    ///   many as one client may have.
    func lose(_ client: EventSender, cancelling: Bool) {
        guard let forwarder = existingForwarder(of: client) else { return }
        let over = core.withLock { core in
            core.shares.lose(forwarder.slot).compactMap { core.forwarders[$0]?.forwarder }
        }
        if cancelling { forwarder.cancelLeftBehind() }
        for forwarder in over { forwarder.cancelLeftBehind() }
    }

    // MARK: Events

    /// Whether events have not ended.
    var hasEvents: Bool { core.withLock { $0.shares.open > 0 } }

    /// On the event loop.
    func start(
        _ event: borrowing IncomingEvent,
        of client: EventForwarder,
        on server: ChannelServer
    ) -> EventStart {
        let (action, name, terms) = (event.action, event.name, event.terms)
        let bytes = action.count + terms.bytes
        let forwarded = ForwardedEvent(event.number, bytes: bytes, of: client, on: server)
        let (taking, link) = core.withLock { core in
            let taking = core.shares.take(forwarded, bytes: bytes, of: client.slot)
            if case .wait(let place) = taking {
                forwarded.phase = .waiting(
                    ForwardedEvent.Waiting(place: place, action: [UInt8](action), name: name, terms: terms)
                )
            }
            return (taking, core.link)
        }
        guard let link else { preconditionFailure("An instance is connected before its clients.") }
        // Before it is sent: it may end on another thread then.
        if case .reject = taking {} else { keep(terms.deadline, of: forwarded, on: link.channel.eventLoop) }
        switch taking {
        case .send:
            // Without a number it was rejected at once, and has told so.
            guard let sent = send(forwarded, [UInt8](action), name, terms, by: link) else { return .completed }
            return .forwarded(forwarded, as: sent)
        case .wait:
            return .running(forwarded)
        case .reject(let reason):
            tell(forwarded, .rejected(code: .overloaded, reason: reason), by: link)
            return .completed
        }
    }

    /// Has the event end at its deadline.
    private func keep(_ deadline: EventDeadline, of event: ForwardedEvent, on eventLoop: any EventLoop) {
        guard let left = deadline.left else { return }
        // Keeps the event until it ends, which each one does.
        let timer = TimerThread.shared.after(left) { [self] in eventLoop.execute { [self] in expire(event) } }
        let isLate = core.withLock { _ in
            // `cancelWaiting` may have come in between.
            if case .ended = event.phase { return true }
            event.timer = timer
            return false
        }
        if isLate { TimerThread.shared.cancel(timer) }
    }

    private func send(
        _ event: ForwardedEvent,
        _ action: [UInt8],
        _ name: EventName,
        _ terms: EventMetadata,
        by link: Link
    ) -> UInt64? {
        let sent = link.channel.send(action, as: name, terms: terms) { _ in event }
        let isCancelled = core.withLock { core in
            core.shares.sent(event.client.slot, bytes: event.bytes, as: sent)
            return sent.map { event.sent(as: $0) } ?? false
        }
        if isCancelled, let sent { link.channel.cancel(event: sent) }
        return sent
    }

    /// Sends on whose turn it is, after the worker may have acknowledged something. On the event loop.
    func proceed() {
        guard let link = core.withLock(\.link) else { return }
        let acknowledged = link.channel.acknowledged
        // Both under one lock: each delivery comes here.
        while let (event, waiting) = core.withLock({ core in
            core.shares.acknowledge(through: acknowledged)
            return core.shares.next().map { ($0, $0.start()) }
        }) {
            guard let waiting,
                let sent = send(event, waiting.action, waiting.name, waiting.terms, by: link)
            else { continue }
            event.server.forwarded(event.number, as: sent)
        }
    }

    /// An event has ended that was sent on. Any thread.
    func ended(_ event: ForwardedEvent, _ outcome: WireOutcome, _ report: CrashReport?) {
        let (timer, link) = core.withLock { core in
            event.phase = .ended
            core.shares.ended(event.client.slot)
            return (event.timer.take(), core.link)
        }
        if let timer { TimerThread.shared.cancel(timer) }
        if let link { tell(event, outcome, sharesReports ? report : nil, by: link) }
    }

    private func tell(_ event: ForwardedEvent, _ outcome: WireOutcome, _ report: CrashReport? = nil, by link: Link) {
        let (server, number) = (event.server, event.number)
        link.tell {
            if let report { server.explain(outcome, of: number, by: report) }
            server.completeAndRelease(number, outcome)
        }
    }

    /// Any thread.
    func cancel(_ event: ForwardedEvent) {
        stop(event, waiting: .cancelled) { $0.cancel(event: $1) }
    }

    /// Its deadline has passed. On the event loop, where no event is just on its way out.
    private func expire(_ event: ForwardedEvent) {
        stop(event, waiting: .deadlinePassed) { $0.expire(event: $1) }
    }

    /// - Parameters:
    ///   - waiting: How it ends if it was never sent on.
    ///   - sent: What to do about it else.
    private func stop(
        _ event: ForwardedEvent,
        waiting outcome: WireOutcome,
        sent: (_ channel: ChannelClient, _ number: UInt64) -> Void
    ) {
        let (cancelling, timer, link) = core.withLock { core in
            let cancelling = event.cancelling()
            guard case .end(let place) = cancelling else { return (cancelling, Timers.Key?.none, core.link) }
            core.shares.withdraw(place, of: event.client.slot)
            core.shares.ended(event.client.slot)
            return (cancelling, event.timer.take(), core.link)
        }
        if let timer { TimerThread.shared.cancel(timer) }
        guard let link else { return }
        switch cancelling {
        case .nothing: break
        case .end: tell(event, outcome, by: link)
        case .transmit(let number): sent(link.channel, number)
        }
    }

    /// The instance is let go of: what waits ends, as what runs does.
    func cancelWaiting() {
        for event in core.withLock({ $0.shares.waiting }) { cancel(event) }
    }
}

extension ChannelServer {
    /// Tells what is known of the end of the worker for which an event ends so, before the outcome.
    fileprivate func explain(_ outcome: WireOutcome, of event: UInt64, by report: CrashReport) {
        let isPoison = if case .rejected(.quarantined, _) = outcome { true } else { false }
        explain(life: report.incarnation, again: isPoison) {
            CrashReportMessage(report, quarantined: isPoison ? event : nil)
        }
    }
}
