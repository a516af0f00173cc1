import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// Sends the events of an instance's clients to its worker. The events of each client keep their order. ``EventShares``
/// decides which events are accepted and which one is sent next.
///
/// It belongs to the event loop, except where a method says that you can call it on any thread.
final class ClientEvents: Sendable {
    /// The channel that events are sent to, and the order in which their outcomes follow the states that contain them.
    struct Destination: Sendable {
        let channel: ChannelClient
        let order: SharingOrder
        /// The sender of the events of the coordinator's own program.
        let programSender: EventSender
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
        /// The channel with outcomes that were recorded and not released.
        var unreleased: ChannelServer?
        /// The time of the outcomes that were recorded last, until they are released. They are recorded in one go, so
        /// the clock is read once for all of them.
        var recording: Int64?
        var durations = DurationHistogram()

        mutating func membership(of client: EventSender) -> ClientMembership? {
            slots[client].flatMap { memberships[$0]?.membership }
        }
    }

    let eventLoop: any EventLoop
    private let core: LoopBound<Core>
    /// Whether clients receive the crash report when a worker ended.
    private let sharesReports: Bool
    private let runtimeEvents: RuntimeEvents
    /// Whether an observer of the runtime is interested in single events.
    private let isObserved: Bool
    private let tracer: (any RuntimeTracer)?

    init(
        on eventLoop: any EventLoop,
        limits: ShareLimits = ShareLimits(),
        sharesReports: Bool = false,
        runtimeEvents: RuntimeEvents = .none
    ) {
        self.eventLoop = eventLoop
        self.sharesReports = sharesReports
        self.runtimeEvents = runtimeEvents
        tracer = runtimeEvents.tracer
        isObserved =
            runtimeEvents.wants(.eventAccepted) || runtimeEvents.wants(.eventSent) || runtimeEvents.wants(.eventEnded)
            || runtimeEvents.wants(.eventOrdered)
        core = LoopBound(Core(shares: EventShares(limits: limits)), to: eventLoop.thread)
    }

    /// Sets the destination. Call this once, before there are clients. You can call it on any thread.
    func connect(_ destination: Destination) {
        eventLoop.perform { [self] in core.value.destination = destination }
    }

    // MARK: Clients

    /// Returns the host of a new channel of a client.
    func forwarder(of client: OpeningClient) -> EventForwarder {
        if let membership = core.value.membership(of: client.sender) {
            core.value.shares.markPresent(membership.slot)
            return EventForwarder(for: membership, client)
        }
        let membership = ClientMembership(of: client.sender, core.value.shares.join(), in: self)
        core.value.slots[client.sender] = membership.slot
        core.value.memberships[membership.slot] = Weak(membership: membership)
        return EventForwarder(for: membership, client)
    }

    /// Removes a client that has no channels or events here any more.
    func forget(_ client: EventSender, _ slot: Int) {
        core.value.memberships[slot] = nil
        core.value.shares.leave(slot)
        // The client may have come back in the meantime, with another slot.
        if core.value.slots[client] == slot { core.value.slots[client] = nil }
    }

    /// Records that a client left a channel to the instance without closing it.
    func leaveBehind(_ channel: ChannelServer, of client: EventSender) {
        core.value.membership(of: client)?.leaveBehind(channel)
    }

    /// Records that a client is gone permanently and has left channels behind.
    ///
    /// - Parameters:
    ///   - client: The client.
    ///   - cancelling: Whether its events are cancelled. Otherwise they continue, and all clients that are gone may
    ///     together have as many events as one client.
    func lose(_ client: EventSender, cancelling: Bool) {
        guard let membership = core.value.membership(of: client) else { return }
        let over = core.value.shares.markGone(membership.slot).compactMap { core.value.memberships[$0]?.membership }
        if cancelling { membership.cancelLeftBehind() }
        for membership in over { membership.cancelLeftBehind() }
    }

    // MARK: Events

    /// Whether events are open, which means that they have not ended.
    var hasEvents: Bool { core.value.shares.open > 0 }

    /// The channels that their clients have left and whose events may still run.
    var channelsLeftBehind: [(client: EventSender, server: ChannelServer)] {
        core.value.memberships.values.compactMap(\.membership).flatMap { membership in
            membership.channelsLeftBehind.map { (membership.client, $0) }
        }
    }

    /// The number of events that wait for their turn to be sent.
    var waitingCount: Int { core.value.shares.waitingCount }

    /// The duration that half of the recent events of clients did not exceed, and the one that 99 of 100 did not, in
    /// nanoseconds. Nil if none has ended lately.
    var durations: (half: Int64, most: Int64)? {
        core.value.durations.percentiles(0.5, 0.99, at: MonotonicTime.withSleep).map { ($0.lower, $0.upper) }
    }

    /// The channel that events are sent to, and the order of their outcomes.
    var destination: Destination {
        guard let destination = core.value.destination else {
            preconditionFailure("An instance is connected before its clients.")
        }
        return destination
    }

    /// Starts or queues an event that a client sent.
    func start(
        _ event: borrowing IncomingEvent,
        of client: EventForwarder,
        on server: ChannelServer
    ) -> EventStart {
        let action = event.action
        var (name, metadata) = (event.name, event.metadata.ofClient)
        let span = tracer == nil || metadata.trace.isEmpty ? nil : beginSpan(of: event.name, &metadata)
        name.origin.connection = client.client.connection
        let bytes = action.count + metadata.bytes
        let number = event.number
        let forwarded = ForwardedEvent(number, as: name, metadata, bytes: bytes, of: client, on: server, span: span)
        let admission = core.value.shares.admit(forwarded, bytes: bytes, of: client.slot)
        if case .reject(let reason) = admission {
            complete(forwarded, .rejected(code: .overloaded, reason: reason))
            return .completed
        }
        keep(metadata.deadline, of: forwarded)
        if isObserved { runtimeEvents.emit(.eventAccepted, .eventAccepted(id(of: forwarded))) }
        if case .wait(let place) = admission {
            let action = [UInt8](action)
            forwarded.phase = .waiting(ForwardedEvent.Waiting(place: place, action: action, metadata: metadata))
            return .running(forwarded)
        }
        // An event without a number was rejected at once, and its outcome has been delivered.
        guard let sent = send(forwarded, [UInt8](action), metadata) else { return .completed }
        return .forwarded(forwarded, as: sent)
    }

    /// Rejects an event of a client that may only read.
    func reject(_ event: borrowing IncomingEvent, because reason: String, on server: ChannelServer) {
        let outcome = WireOutcome.rejected(code: .readOnly, reason: reason)
        if isObserved {
            let id = EventID(event.name, of: destination.channel.subject)
            runtimeEvents.emit(.eventEnded, .eventEnded(id, EventOutcome(outcome), after: .zero))
        }
        server.recordOutcome(outcome, of: event.number)
        server.releaseOutcomes()
    }

    /// Begins the span of an event, and lets the event belong to it.
    private func beginSpan(of name: EventName, _ metadata: inout EventMetadata) -> (any OpenSpan)? {
        let subject = destination.channel.subject
        let operation = TracedOperation.forwarding(feature: subject.feature, instance: subject.instance)
        guard let span = tracer?.begin(operation, in: metadata.trace) else { return nil }
        span.set(.event, to: "\(EventID(name, of: subject))")
        metadata = EventMetadata(deadline: metadata.deadline, trace: span.lines, cause: metadata.cause)
        return span
    }

    /// Sets the timer that ends the event at its deadline.
    private func keep(_ deadline: MonotonicDeadline, of event: ForwardedEvent) {
        guard let left = deadline.left else { return }
        // The timer keeps the event alive until the event ends, and every event ends.
        event.timer = TimerThread.shared.after(left) { [self] in eventLoop.execute { [self] in expire(event) } }
    }

    private func send(_ event: ForwardedEvent, _ action: [UInt8], _ metadata: EventMetadata) -> UInt64? {
        let sent = destination.channel.send(action, as: event.name, metadata: metadata) { _ in event }
        core.value.shares.sent(event.client.slot, bytes: event.bytes, as: sent)
        guard let sent else { return nil }
        event.phase = .sent(sent)
        if isObserved { reportSent(event, as: sent) }
        return sent
    }

    private func reportSent(_ event: ForwardedEvent, as order: UInt64) {
        let id = id(of: event)
        runtimeEvents.emit(.eventSent, .eventSent(id))
        guard runtimeEvents.wants(.eventOrdered) else { return }
        let sender = EventSource.client(event.client.client.described)
        let cause = event.cause.eventCause
        runtimeEvents.emit(.eventOrdered, .eventOrdered(id, order: order, cause: cause, sender: sender))
    }

    /// Returns the ID of an event, which is the same in all processes.
    private func id(of event: ForwardedEvent) -> EventID {
        EventID(event.name, of: destination.channel.subject)
    }

    /// Sends the next waiting events, after the worker may have acknowledged earlier ones.
    func proceed() {
        guard let acknowledged = core.value.destination?.channel.acknowledged else { return }
        core.value.shares.acknowledge(through: acknowledged)
        while let event = core.value.shares.next() {
            guard case .waiting(let waiting) = event.phase else { continue }
            event.phase = .starting
            guard let sent = send(event, waiting.action, waiting.metadata) else { continue }
            event.server.forwarded(event.number, as: sent)
        }
    }

    /// Handles the end of an event that was sent to the worker. The outcome follows the view states that were published
    /// before. You can call it on any thread.
    func ended(_ event: ForwardedEvent, _ outcome: WireOutcome, _ report: CrashReport?) {
        eventLoop.perform { [self] in
            end(event, at: MonotonicTime.withSleep)
            complete(event, outcome, sharesReports ? report : nil)
        }
    }

    /// Handles the end of an event that was sent to the worker, in an operation of the destination's order.
    /// ``releaseOutcomes()`` sends the outcome, together with those of the same client that follow.
    func record(_ outcome: WireOutcome, of event: ForwardedEvent, _ report: CrashReport?) {
        let now = core.value.recording ?? MonotonicTime.withSleep
        core.value.recording = now
        end(event, at: now)
        noteEnd(of: event, outcome)
        let server = event.server
        server.recordOutcome(outcome, of: event.number, explainedBy: sharesReports ? report : nil)
        // Mostly, successive events are of the same client.
        guard core.value.unreleased !== server else { return }
        core.value.unreleased.take()?.releaseOutcomes()
        core.value.unreleased = server
    }

    /// Sends the outcomes that were recorded, in the same operation of the destination's order.
    func releaseOutcomes() {
        core.value.recording = nil
        core.value.unreleased.take()?.releaseOutcomes()
    }

    /// Records that an event has ended.
    private func end(_ event: ForwardedEvent, at now: Int64) {
        event.phase = .ended
        core.value.durations.record(now - event.arrival, at: now)
        core.value.shares.ended(event.client.slot)
        if let timer = event.timer.take() { TimerThread.shared.cancel(timer) }
    }

    private func complete(_ event: ForwardedEvent, _ outcome: WireOutcome, _ report: CrashReport? = nil) {
        noteEnd(of: event, outcome)
        let (server, number) = (event.server, event.number)
        destination.order.perform {
            server.recordOutcome(outcome, of: number, explainedBy: report)
            server.releaseOutcomes()
        }
    }

    private func noteEnd(of event: ForwardedEvent, _ outcome: WireOutcome) {
        event.span?.end(SpanEnd(EventOutcome(outcome)))
        guard isObserved else { return }
        let duration = Duration.nanoseconds(MonotonicTime.withSleep - event.arrival)
        runtimeEvents.emit(.eventEnded, .eventEnded(id(of: event), EventOutcome(outcome), after: duration))
    }

    /// Cancels an event.
    func cancel(_ event: ForwardedEvent, _ cancellation: WireCancellation) {
        stop(event, waiting: .cancelled(cancellation.at(.beforeStart))) { $0.cancel(event: $1, cancellation) }
    }

    /// Ends an event whose deadline has passed.
    private func expire(_ event: ForwardedEvent) {
        event.timer = nil
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
        switch event.phase {
        case .waiting(let waiting):
            core.value.shares.withdraw(waiting.place, of: event.client.slot)
            end(event, at: MonotonicTime.withSleep)
            complete(event, outcome)
        case .sent(let number): sent(destination.channel, number)
        case .starting, .ended: break
        }
    }

    /// Cancels all waiting events, because the instance is released. Running events are cancelled elsewhere.
    func cancelWaiting() {
        let cancellation = WireCancellation(by: .closed, reason: "The instance was released.")
        for event in core.value.shares.waiting { cancel(event, cancellation) }
    }
}

extension ChannelServer {
    /// Records the outcome of an event. The crash report that explains it is sent before it.
    fileprivate func recordOutcome(_ outcome: WireOutcome, of event: UInt64, explainedBy report: CrashReport?) {
        if let report { explain(outcome, of: event, by: report) }
        recordOutcome(outcome, of: event)
    }

    /// Sends the crash report of a worker, which explains the outcome of an event.
    private func explain(_ outcome: WireOutcome, of event: UInt64, by report: CrashReport) {
        let isPoison = if case .rejected(.quarantined, _, _) = outcome { true } else { false }
        explain(incarnation: report.incarnation, again: isPoison) {
            CrashReportMessage(report, quarantined: isPoison ? event : nil)
        }
    }
}
