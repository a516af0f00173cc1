import LatticeConcurrency
package import LatticeWire

/// An event that has terminated its worker as often as an event may, and that will not be sent again.
package struct PoisonedEvent: Sendable {
    /// The number of terminations after which an event is quarantined. A termination counts if the event was the only
    /// one in flight, or if it happened in the event's turn.
    package static let maximumIncarnations = 2

    /// The channel on which the event was sent.
    package let channel: ChannelClient
    /// The number of the event on the channel.
    package let number: UInt64
    /// The name of the event, or nil for an event of the opener itself.
    package var name: EventName?
    /// The encoded action.
    package let action: [UInt8]
    /// What the sender states as the cause of the event.
    package let cause: EventMetadata.Cause?
    /// The incarnations that the event has terminated.
    package let incarnations: [UInt64]
    /// The incarnations that terminated while the event was one of several in flight. They count against the event as
    /// well.
    package let earlierIncarnations: [UInt64]
    fileprivate let promise: any EventPromise

    /// Completes the promise of the event. Must be called once.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the event.
    ///   - report: Details of the last termination that the event caused, or nil if there are none.
    package func end(as outcome: WireOutcome, report: TerminationReport?) {
        channel.gatherSoon { [promise] in
            $0.endings.append(.init(promise: promise, outcome: outcome, report: report))
        }
    }
}

/// Isolated retry on a channel to a worker: events are sent one at a time.
extension ChannelClient {
    /// The events that are in flight in this session.
    var inFlight: [PoisonIsolation.Event] {
        core.withLock(\.state.inFlight).map { PoisonIsolation.Event(channel: number, number: $0) }
    }

    /// Adds the work that ran at the peer or was in flight to it.
    ///
    /// - Parameters:
    ///   - work: The unfinished work to add to.
    ///   - inFlight: The events of this channel that were in flight.
    ///   - maximum: The maximum number of events and of effects to add.
    func add(to work: inout UnfinishedWork, _ inFlight: [PoisonIsolation.Event], maximum: Int) {
        let (names, events) = core.withLock { core in
            let events = inFlight.suffix(maximum).map { unfinished($0.number, core) }
            return (Set(core.state.effects.names), events)
        }
        work.effects.formUnion(names.sorted().prefix(maximum))
        if !events.isEmpty { work.events.append(events) }
    }

    /// Returns the description of an event that was in flight.
    func unfinished(_ event: UInt64) -> UnfinishedWork.Event {
        core.withLock { unfinished(event, $0) }
    }

    private func unfinished(_ event: UInt64, _ core: Core) -> UnfinishedWork.Event {
        let name = core.state.window.name(of: event)
        return UnfinishedWork.Event(subject: subject, channel: number, number: event, name: name)
    }

    /// Holds back all events from the next session on, except those that are retried.
    ///
    /// - Parameter proceed: Called at the end of each tick that brought something, until `releaseHeld`.
    func hold(_ proceed: @escaping @Sendable () -> Void) {
        core.withLock { core in
            core.state.hold()
            core.proceed = proceed
        }
    }

    /// Holds back all further events in this session.
    ///
    /// - Parameter proceed: As for ``hold(_:)``.
    func pause(_ proceed: @escaping @Sendable () -> Void) {
        core.withLock { core in
            core.state.pause()
            core.proceed = proceed
        }
    }

    /// Whether everything that was sent has ended.
    var isQuiet: Bool { core.withLock(\.state.isQuiet) }

    /// Sends a waiting event.
    func attempt(_ event: UInt64) -> Attempt {
        core.withLock { core in
            guard !core.state.isSettled(event) else { return .settled }
            if case .closed = core.state.phase { return .settled }
            guard let session = core.session, let entry = core.state.attempt(event) else { return .waits }
            resend([entry], &core)
            return .sent(session)
        }
    }

    /// The result of an attempt to send a waiting event.
    enum Attempt {
        /// The event was added to the session, which must be flushed.
        case sent(Session)
        /// The channel is not open yet.
        case waits
        /// The event is acknowledged or has ended.
        case settled
    }

    /// Returns whether an event is acknowledged or has ended.
    func isSettled(_ event: UInt64) -> Bool { core.withLock { $0.state.isSettled(event) } }

    /// Ends the holding of events, and sends those that have waited.
    ///
    /// - Returns: The session to flush, or nil if there is nothing to flush.
    func releaseHeld() -> Session? {
        core.withLock { core in
            guard core.proceed.take() != nil else { return nil }
            resend(core.state.releaseHeld(), &core)
            return core.session
        }
    }

    /// Removes an event that must not be sent again.
    ///
    /// - Returns: The event, or nil if it has already ended.
    func takeOut(_ event: PoisonIsolation.Event, terminations: PoisonIsolation.Terminations) -> PoisonedEvent? {
        guard let entry = core.withLock({ $0.state.takeOut(event.number) }), let promise = entry.promise else {
            return nil
        }
        return PoisonedEvent(
            channel: self,
            number: event.number,
            name: entry.name,
            action: entry.action ?? [],
            cause: entry.metadata.cause,
            incarnations: terminations.alone,
            earlierIncarnations: terminations.amongOthers,
            promise: promise
        )
    }

    /// Writes events to the session, possibly again. The caller holds the lock, so that the events keep the order of
    /// their numbers.
    func resend(_ events: [EventWindow<any EventPromise>.Entry], _ core: inout Core) {
        core.session?.append { queue in
            for event in events {
                let action = event.action ?? []
                let message = message(event.number, action, event.name, event.metadata, &core, &queue)
                queue.addKeptEvent(message, on: number)
                if case .requested(let cancellation) = event.cancelling {
                    queue.addControl(CancelMessage(event: event.number, cancellation), on: number)
                }
            }
        }
    }
}
