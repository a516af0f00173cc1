package import LatticeCore
package import LatticeWire

extension EventID {
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
    /// Whether it may be sent: one that was read from a text need not be.
    var isWithinLimits: Bool {
        channel > 0 && number <= MessageLimits.maximumGrowing
            && 1...MessageLimits.maximumIdentifier ~= feature.utf8.count
            && instance.utf8.count <= MessageLimits.maximumInstance
    }
}

extension WireEventName {
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
