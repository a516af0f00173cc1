package import LatticeCore
package import LatticeWire

/// The server's end of the origins of one channel: who sent an event.
package struct OriginTable {
    /// The opener of the channel, whose events say nothing of an origin.
    package let opener: EventOrigin
    private var origins: [EventOrigin?] = []

    package init(opener: EventOrigin) {
        self.opener = opener
    }

    /// From here on the index stands for this origin.
    package mutating func introduce(_ message: OriginMessage) {
        // The message was checked: the bytes are 16, and the index is below the limit.
        guard let sender = EventSender(message.sender) else { return }
        let index = Int(message.index)
        while origins.count <= index { origins.append(nil) }
        origins[index] = EventOrigin(
            sender: sender,
            channel: message.channel,
            feature: opener.feature,
            instance: opener.instance
        )
    }

    /// The name of an event.
    ///
    /// - Throws: When its origin was never introduced.
    package func identity(of message: EventMessage.Borrowed) throws(WireError) -> EventID {
        guard let origin = message.origin else { return EventID(origin: opener, number: message.event) }
        guard Int(origin.index) < origins.count, let known = origins[Int(origin.index)] else {
            throw .session("event \(message.event) comes from origin \(origin.index), which was not introduced")
        }
        return EventID(origin: known, number: origin.number)
    }
}
