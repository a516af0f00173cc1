import LatticeConcurrency
package import LatticeWire

/// An event that has ended as many lives of its worker as an event may, and what it was.
package struct PoisonedEvent: Sendable {
    /// Lives that end while an event is alone on its way, after which it goes to quarantine.
    package static let maximumLives = 2

    package let channel: ChannelClient
    /// Its number there.
    package let number: UInt64
    /// Whose event it is; nil for the opener's own.
    package var name: EventName?
    package let action: [UInt8]
    /// The lives that it has ended.
    package let lives: [UInt64]
    /// Lives that ended while it was one of several on their way, and that count for its own, too.
    package let earlierLives: [UInt64]
    fileprivate let ticket: any EventPromise

    /// Tells whoever sent it how it has ended. Once.
    ///
    /// - Parameter report: What is known of the life that it has ended last.
    package func end(as outcome: WireOutcome, report: TerminationReport?) {
        channel.gatherSoon { [ticket] in
            $0.endings.append(.init(ticket: ticket, outcome: outcome, report: report))
        }
    }
}

/// What a channel to a worker does while events are tried one at a time.
extension ChannelClient {
    /// The events that are on their way in this session.
    var inFlight: [PoisonIsolation.Event] {
        core.withLock(\.state.inFlight).map { PoisonIsolation.Event(channel: number, number: $0) }
    }

    /// Adds what ran at the other side, and was on its way there.
    ///
    /// - Parameters:
    ///   - inFlight: The latter, of this channel.
    ///   - most: How many of each.
    func add(to work: inout UnfinishedWork, _ inFlight: [PoisonIsolation.Event], most: Int) {
        let (names, events) = core.withLock { core in
            let events = inFlight.suffix(most).map { unfinished($0.number, core) }
            return (Set(core.state.effects.names), events)
        }
        work.effects.formUnion(names.sorted().prefix(most))
        if !events.isEmpty { work.events.append(events) }
    }

    /// An event that was on its way.
    func unfinished(_ event: UInt64) -> UnfinishedWork.Event {
        core.withLock { unfinished(event, $0) }
    }

    private func unfinished(_ event: UInt64, _ core: Core) -> UnfinishedWork.Event {
        let name = core.state.window.name(of: event)
        return UnfinishedWork.Event(subject: subject, channel: number, number: event, name: name)
    }

    /// From the next session on no event is sent but those that are tried.
    ///
    /// - Parameter proceed: Called at the end of each tick that brought something, until `releaseHeld`.
    func hold(_ proceed: @escaping @Sendable () -> Void) {
        core.withLock { core in
            core.state.hold()
            core.proceed = proceed
        }
    }

    /// In this session no event is sent any more.
    ///
    /// - Parameter proceed: As for ``hold(_:)``.
    func pause(_ proceed: @escaping @Sendable () -> Void) {
        core.withLock { core in
            core.state.pause()
            core.proceed = proceed
        }
    }

    /// Whether all that was sent has ended.
    var isQuiet: Bool { core.withLock(\.state.isQuiet) }

    /// Sends an event that waits.
    func attempt(_ event: UInt64) -> Attempt {
        core.withLock { core in
            guard !core.state.isSettled(event) else { return .settled }
            if case .closed = core.state.phase { return .settled }
            guard let session = core.session, let entry = core.state.attempt(event) else { return .waits }
            resend([entry], &core)
            return .sent(session)
        }
    }

    /// What became of an event that was to be sent.
    enum Attempt {
        /// It is to be flushed.
        case sent(Session)
        /// The channel is not open yet.
        case waits
        /// It was taken in before, or has ended.
        case settled
    }

    func isSettled(_ event: UInt64) -> Bool { core.withLock { $0.state.isSettled(event) } }

    /// Events are sent as they come again, and those that have waited now.
    ///
    /// - Returns: What is to be flushed.
    func releaseHeld() -> Session? {
        core.withLock { core in
            guard core.proceed.take() != nil else { return nil }
            resend(core.state.releaseHeld(), &core)
            return core.session
        }
    }

    /// Takes out an event that is not to be sent again.
    ///
    /// - Returns: What it was; nil if it has ended already.
    func takeOut(_ suspect: PoisonIsolation.Event, lives: PoisonIsolation.Lives) -> PoisonedEvent? {
        guard let entry = core.withLock({ $0.state.takeOut(suspect.number) }), let ticket = entry.ticket else {
            return nil
        }
        return PoisonedEvent(
            channel: self,
            number: suspect.number,
            name: entry.name,
            action: entry.action ?? [],
            lives: lives.alone,
            earlierLives: lives.amongOthers,
            ticket: ticket
        )
    }

    /// Puts events on the wire (again). Inside the lock, so that they leave in the order of their numbers.
    func resend(_ events: [EventWindow<any EventPromise>.Entry], _ core: inout Core) {
        core.session?.append { queue in
            for event in events {
                let action = event.action ?? []
                let message = message(event.number, action, event.name, event.terms, &core, &queue)
                queue.addKeptEvent(message, on: number)
                if event.isCancelled { queue.addControl(CancelMessage(event: event.number), on: number) }
            }
        }
    }
}
