package import LatticeWire

/// Names an event in the world: who sent it, on which of its channels, and its number there.
package struct EventName: Hashable, Sendable {
    /// Where events come from: one channel of one sender.
    package struct Origin: Hashable, Sendable {
        /// The 16 bytes by which the sender is known, the first one the most significant.
        package let sender: UInt128
        /// The number of the channel at the sender, which never uses it for another one.
        package let channel: UInt32

        package init(sender: UInt128, channel: UInt32) {
            self.sender = sender
            self.channel = channel
        }

        /// - Parameter sender: 16 bytes; nil if they are not.
        package init?(sender bytes: [UInt8], channel: UInt32) {
            guard bytes.count == MessageLimits.maximumIdentity else { return nil }
            self.init(sender: bytes.reduce(0) { $0 << 8 | UInt128($1) }, channel: channel)
        }

        var senderBytes: [UInt8] {
            (0..<MessageLimits.maximumIdentity).reversed().map { UInt8(truncatingIfNeeded: sender >> (8 * $0)) }
        }
    }

    package let origin: Origin
    package let number: UInt64

    package init(origin: Origin, number: UInt64) {
        self.origin = origin
        self.number = number
    }
}

/// The client's end of the origins of one channel: which index stands for whom on the present session.
///
/// Places are taken in turn: whoever was introduced longest ago is forgotten for somebody new, and introduced again
/// with its next event.
struct OriginIndex {
    /// How many are known at a time.
    private let limit: Int
    private var origins: [EventName.Origin] = []
    private var places: [EventName.Origin: UInt32] = [:]
    private var next = 0
    private var recent: (origin: EventName.Origin, place: UInt32)?

    init(limit: Int = MessageLimits.maximumOrigins) {
        self.limit = limit
    }

    /// The index of an origin, and whether the other side has to be told of it first.
    mutating func index(of origin: EventName.Origin) -> (index: UInt32, isNew: Bool) {
        if let recent, recent.origin == origin { return (recent.place, false) }
        if let place = places[origin] {
            recent = (origin, place)
            return (place, false)
        }
        let place = UInt32(next)
        if next < origins.count {
            places[origins[next]] = nil
            origins[next] = origin
        } else {
            origins.append(origin)
        }
        places[origin] = place
        recent = (origin, place)
        next = next + 1 == limit ? 0 : next + 1
        return (place, true)
    }
}

extension OriginIndex {
    /// How an event says who sent it; the other side is told first who that is, if it does not know.
    mutating func introduce(
        _ name: EventName,
        on channel: UInt32,
        in queue: inout WriteQueue
    ) -> EventMessage.Origin {
        let (index, isNew) = index(of: name.origin)
        if isNew {
            let (sender, theirs) = (name.origin.senderBytes, name.origin.channel)
            queue.addData(OriginMessage(index: index, sender: sender, channel: theirs), on: channel)
        }
        return EventMessage.Origin(index: index, number: name.number)
    }
}

/// The server's end of the origins of one channel: who sent an event.
package struct OriginTable: Sendable {
    /// Where events come from that say nothing of an origin: from who opened the channel.
    private let opener: EventName.Origin
    /// By their indices. No array: the other side says how high an index is.
    private var origins: [UInt32: EventName.Origin] = [:]

    package init(opener: EventName.Origin) {
        self.opener = opener
    }

    /// From here on the index stands for this origin.
    package mutating func introduce(_ message: OriginMessage) {
        // The message was checked: the bytes are 16, and the index is below the limit.
        origins[message.index] = EventName.Origin(sender: message.sender, channel: message.channel)
    }

    /// The name of an event.
    ///
    /// - Throws: When its origin was never introduced.
    package func name(of message: borrowing EventMessage.Borrowed) throws(WireError) -> EventName {
        guard let origin = message.origin else { return EventName(origin: opener, number: message.event) }
        guard let known = origins[origin.index] else {
            throw .session("event \(message.event) comes from origin \(origin.index), which was not introduced")
        }
        return EventName(origin: known, number: origin.number)
    }
}
