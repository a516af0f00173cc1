package import LatticeCore
package import LatticeSession
package import LatticeWire

extension EventID {
    /// Creates the ID that a message contains. Returns nil if the sender is not a valid identity.
    package init?(_ event: WireEventName) {
        guard let sender = EventSender(event.sender) else { return nil }
        let origin = EventOrigin(
            sender: sender,
            channel: event.channel,
            feature: event.feature,
            instance: event.instance
        )
        self.init(origin: origin, number: event.number)
    }
}

extension EventID {
    /// Whether the ID can be sent. An ID that was parsed from a text may exceed the limits of the wire.
    var isWithinLimits: Bool {
        channel > 0 && number <= MessageLimits.maximumGrowing
            && 1...MessageLimits.maximumIdentifier ~= feature.utf8.count
            && instance.utf8.count <= MessageLimits.maximumInstance
    }
}

extension RuntimeEvent.Client {
    /// Creates the client that sends events under an identity.
    package init(_ sender: EventSender, _ facts: SenderFacts) {
        self.init(
            sender: "\(sender)",
            processID: facts.processID,
            userID: facts.userID,
            program: facts.program
        )
    }
}

extension EventMetadata {
    /// The cause of the event. An event whose name cannot be decoded counts as sent outside of other events.
    package var eventCause: EventCause { cause.eventCause }
}

extension EventMetadata.Cause? {
    /// The cause of an event with this metadata.
    package var eventCause: EventCause {
        switch self {
        case .event(let name): EventID(name).map { .event($0) } ?? .sent
        case .recovery(let incarnation, _): .recovery(incarnation: incarnation)
        case nil: .sent
        }
    }
}

extension RuntimeEvent {
    /// An event with its place, as its context says.
    package static func eventOrdered(_ id: EventID, _ context: EventContext) -> RuntimeEvent {
        .eventOrdered(id, order: context.order, cause: context.cause, sender: context.sender)
    }
}

extension EventMetadata.Cause {
    /// The cause of an event that the running code sends. Nil if the code belongs to no event, or is not traced. The
    /// name of the cause makes each event larger, which took half as much CPU time again in `lattice-bench relay`.
    package static var current: EventMetadata.Cause? {
        guard !TraceContext.currentLines.isEmpty else { return nil }
        return EventID.current.flatMap { $0.isWithinLimits ? .event(WireEventName($0)) : nil }
    }
}

extension WireEventName {
    /// Creates the form of an ID for a message.
    package init(_ event: EventID) {
        self.init(
            sender: event.sender,
            channel: event.channel,
            feature: event.feature,
            instance: event.instance,
            number: event.number
        )
    }
}
