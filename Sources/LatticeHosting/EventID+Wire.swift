package import LatticeCore
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
