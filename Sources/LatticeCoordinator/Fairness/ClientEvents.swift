import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// Sends the events of an instance's clients to its worker. The events of each client keep their order. ``EventShares``
/// decides which events are accepted and which one is sent next.
final class ClientEvents: Sendable {
    /// The channel that events are sent to, and the order in which their outcomes follow the states that contain them.
    struct Destination: Sendable {
        let channel: ChannelClient
        let order: SharingOrder
    }

    private struct Weak {
        // Weak, so that a client without channels or events leaves nothing behind here.
        weak var membership: ClientMembership?
    }

    private struct Core {
        var shares: EventShares<ForwardedEvent>
        var slots: [EventSender: Int] = [:]
        /// The clients by their slots.
        var memberships: [Int: Weak] = [:]
        var destination: Destination?
    }

    private let core: Locked<Core>
    /// Whether clients receive the crash report when a worker ended.
    private let sharesReports: Bool
    private let runtimeEvents: RuntimeEvents
    /// Whether an observer of the runtime is interested in single events.
    private let isObserved: Bool

    init(limits: ShareLimits = ShareLimits(), sharesReports: Bool = false, runtimeEvents: RuntimeEvents = .none) {
        self.sharesReports = sharesReports
        self.runtimeEvents = runtimeEvents
        isObserved =
            runtimeEvents.wants(.eventAccepted) || runtimeEvents.wants(.eventSent) || runtimeEvents.wants(.eventEnded)
        core = Locked(Core(shares: EventShares(limits: limits)))
    }

    /// Sets the destination. Call this once, before there are clients.
    func connect(_ destination: Destination) {
        core.withLock { $0.destination = destination }
    }

    // MARK: Clients

    /// Returns the host of a new channel of a client.
    func forwarder(of client: EventSender) -> EventForwarder {
        let membership = core.withLock { core in
            if let slot = core.slots[client], let membership = core.memberships[slot]?.membership {
                core.shares.markPresent(slot)
                return membership
            }
            let membership = ClientMembership(of: client, core.shares.join(), in: self)
            core.slots[client] = membership.slot
            core.memberships[membership.slot] = Weak(membership: membership)
            return membership
        }
        return EventForwarder(for: membership)
    }

    private func existingMembership(of client: EventSender) -> ClientMembership? {
        core.withLock { core in core.slots[client].flatMap { core.memberships[$0]?.membership } }
    }

    /// Removes a client that has no channels or events here any more.
    func forget(_ client: EventSender, _ slot: Int) {
        core.withLock { core in
            core.memberships[slot] = nil
            core.shares.leave(slot)
            // The client may have come back in the meantime, with another slot.
            if core.slots[client] == slot { core.slots[client] = nil }
        }
    }

    /// Records that a client left a channel to the instance without closing it.
    func leaveBehind(_ channel: ChannelServer, of client: EventSender) {
        existingMembership(of: client)?.leaveBehind(channel)
    }

    /// Records that a client is gone permanently and has left channels behind.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - cancelling: Whether its events are cancelled. Otherwise they continue, and all clients that are gone may
    ///     together have as many events as one client.
    func lose(_ client: EventSender, cancelling: Bool) {
        guard let membership = existingMembership(of: client) else { return }
        let over = core.withLock { core in
            core.shares.markGone(membership.slot).compactMap { core.memberships[$0]?.membership }
        }
        if cancelling { membership.cancelLeftBehind() }
        for membership in over { membership.cancelLeftBehind() }
    }

    // MARK: Events

    /// Whether events are open, which means that they have not ended.
    var hasEvents: Bool { core.withLock { $0.shares.open > 0 } }

    /// The numbers of the open events, for people.
    var figures: InstanceFigures.Events {
        core.withLock { InstanceFigures.Events(open: $0.shares.open, waiting: $0.shares.waitingCount) }
    }

    /// Returns the ID of an event, and whether the event waits to be sent to the worker.
    func identity(of event: ForwardedEvent) -> (id: EventID?, isWaiting: Bool) {
        let (isWaiting, destination) = core.withLock { core in
            let isWaiting = if case .waiting = event.phase { true } else { false }
            return (isWaiting, core.destination)
        }
        return (destination.map { id(of: event, $0) }, isWaiting)
    }

    /// Starts or queues an event that a client sent. Called on the event loop.
    func start(
        _ event: borrowing IncomingEvent,
        of client: EventForwarder,
        on server: ChannelServer
    ) -> EventStart {
        let (action, name, metadata) = (event.action, event.name, event.metadata)
        let bytes = action.count + metadata.bytes
        let forwarded = ForwardedEvent(event.number, as: name, metadata.deadline, bytes: bytes, of: client, on: server)
        let (admission, destination) = core.withLock { core in
            let admission = core.shares.admit(forwarded, bytes: bytes, of: client.slot)
            if case .wait(let place) = admission {
                forwarded.phase = .waiting(
                    ForwardedEvent.Waiting(place: place, action: [UInt8](action), metadata: metadata)
                )
            }
            return (admission, core.destination)
        }
        guard let destination else { preconditionFailure("An instance is connected before its clients.") }
        // The timer is set first, because a sent event may end on another thread at once.
        if case .reject = admission {
        } else {
            keep(metadata.deadline, of: forwarded, on: destination.channel.eventLoop)
            if isObserved { runtimeEvents.emit(.eventAccepted, .eventAccepted(id(of: forwarded, destination))) }
        }
        switch admission {
        case .send:
            // An event without a number was rejected at once, and its outcome has been delivered.
            guard let sent = send(forwarded, [UInt8](action), metadata, by: destination) else {
                return .completed
            }
            return .forwarded(forwarded, as: sent)
        case .wait:
            return .running(forwarded)
        case .reject(let reason):
            complete(forwarded, .rejected(code: .overloaded, reason: reason), by: destination)
            return .completed
        }
    }

    /// Sets the timer that ends the event at its deadline.
    private func keep(_ deadline: MonotonicDeadline, of event: ForwardedEvent, on eventLoop: any EventLoop) {
        guard let left = deadline.left else { return }
        // The timer keeps the event alive until the event ends, and every event ends.
        let timer = TimerThread.shared.after(left) { [self] in eventLoop.execute { [self] in expire(event) } }
        let isLate = core.withLock { _ in
            // The event may have been ended by `cancelWaiting` in the meantime.
            if case .ended = event.phase { return true }
            event.timer = timer
            return false
        }
        if isLate { TimerThread.shared.cancel(timer) }
    }

    private func send(
        _ event: ForwardedEvent,
        _ action: [UInt8],
        _ metadata: EventMetadata,
        by destination: Destination
    ) -> UInt64? {
        let sent = destination.channel.send(action, as: event.name, metadata: metadata) { _ in event }
        let isCancelled = core.withLock { core in
            core.shares.sent(event.client.slot, bytes: event.bytes, as: sent)
            return sent.map { event.sent(as: $0) } ?? false
        }
        if isCancelled, let sent { destination.channel.cancel(event: sent) }
        if isObserved, sent != nil { runtimeEvents.emit(.eventSent, .eventSent(id(of: event, destination))) }
        return sent
    }

    /// Returns the ID of an event, which is the same in all processes.
    private func id(of event: ForwardedEvent, _ destination: Destination) -> EventID {
        EventID(event.name, of: destination.channel.subject)
    }

    /// Sends the next waiting events, after the worker may have acknowledged earlier ones. Called on the event loop.
    func proceed() {
        guard let destination = core.withLock(\.destination) else { return }
        let acknowledged = destination.channel.acknowledged
        // One lock for both steps, because this runs for each delivery.
        while let (event, waiting) = core.withLock({ core in
            core.shares.acknowledge(through: acknowledged)
            return core.shares.next().map { ($0, $0.start()) }
        }) {
            guard let waiting,
                let sent = send(event, waiting.action, waiting.metadata, by: destination)
            else { continue }
            event.server.forwarded(event.number, as: sent)
        }
    }

    /// Handles the end of an event that was sent to the worker. Called on any thread.
    ///
    /// - Parameter isInOrder: Whether the caller performs an operation of the destination's order, so that the outcome
    ///   follows the states that were published.
    func ended(_ event: ForwardedEvent, _ outcome: WireOutcome, _ report: CrashReport?, isInOrder: Bool = false) {
        let (timer, destination) = core.withLock { core in
            event.phase = .ended
            core.shares.ended(event.client.slot)
            return (event.timer.take(), core.destination)
        }
        if let timer { TimerThread.shared.cancel(timer) }
        guard let destination else { return }
        complete(event, outcome, sharesReports ? report : nil, isInOrder: isInOrder, by: destination)
    }

    private func complete(
        _ event: ForwardedEvent,
        _ outcome: WireOutcome,
        _ report: CrashReport? = nil,
        isInOrder: Bool = false,
        by destination: Destination
    ) {
        let (server, number) = (event.server, event.number)
        if isObserved {
            runtimeEvents.emit(.eventEnded, .eventEnded(id(of: event, destination), EventOutcome(outcome)))
        }
        // Most outcomes need no place in the queue, and making a closure for each one would allocate memory.
        if isInOrder || (report == nil && destination.order.isFree) {
            return server.complete(number, outcome, explainedBy: report)
        }
        destination.order.perform { server.complete(number, outcome, explainedBy: report) }
    }

    /// Cancels an event. Called on any thread.
    func cancel(_ event: ForwardedEvent) {
        stop(event, waiting: .cancelled) { $0.cancel(event: $1) }
    }

    /// Ends an event whose deadline has passed. Called on the event loop, where no event is between being queued and
    /// being sent.
    private func expire(_ event: ForwardedEvent) {
        stop(event, waiting: .deadlinePassed) { $0.expire(event: $1) }
    }

    /// Ends an event that waits, or passes the request to the worker's channel.
    ///
    /// - Parameters:
    ///   - event: The event to end.
    ///   - outcome: The outcome if the event was never sent.
    ///   - sent: The action if the event was sent.
    private func stop(
        _ event: ForwardedEvent,
        waiting outcome: WireOutcome,
        sent: (_ channel: ChannelClient, _ number: UInt64) -> Void
    ) {
        let (cancelling, timer, destination) = core.withLock { core in
            let cancelling = event.cancelling()
            guard case .end(let place) = cancelling else { return (cancelling, Timers.Key?.none, core.destination) }
            core.shares.withdraw(place, of: event.client.slot)
            core.shares.ended(event.client.slot)
            return (cancelling, event.timer.take(), core.destination)
        }
        if let timer { TimerThread.shared.cancel(timer) }
        guard let destination else { return }
        switch cancelling {
        case .nothing: break
        case .end: complete(event, outcome, by: destination)
        case .transmit(let number): sent(destination.channel, number)
        }
    }

    /// Cancels all waiting events, because the instance is released. Running events are cancelled elsewhere.
    func cancelWaiting() {
        for event in core.withLock({ $0.shares.waiting }) { cancel(event) }
    }
}

extension ChannelServer {
    /// Completes an event. The crash report that explains its outcome is sent before the outcome.
    fileprivate func complete(_ event: UInt64, _ outcome: WireOutcome, explainedBy report: CrashReport?) {
        if let report { explain(outcome, of: event, by: report) }
        completeAndRelease(event, outcome)
    }

    /// Sends the crash report of a worker, which explains the outcome of an event.
    private func explain(_ outcome: WireOutcome, of event: UInt64, by report: CrashReport) {
        let isPoison = if case .rejected(.quarantined, _) = outcome { true } else { false }
        explain(incarnation: report.incarnation, again: isPoison) {
            CrashReportMessage(report, quarantined: isPoison ? event : nil)
        }
    }
}
