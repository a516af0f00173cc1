package import LatticeWire

/// The globally unique name of an event: its sender, its channel at the sender, and its number on that channel.
package struct EventName: Hashable, Sendable {
    /// The origin of events: one channel of one sender.
    package struct Origin: Hashable, Sendable {
        /// The 16-byte identity of the sender. The first byte is the most significant one.
        package let sender: UInt128
        /// The number of the channel at the sender. The sender never reuses it for another channel.
        package let channel: UInt32

        /// Creates an origin from its parts.
        package init(sender: UInt128, channel: UInt32) {
            self.sender = sender
            self.channel = channel
        }

        /// Creates an origin from the bytes of the sender's identity. Returns nil if there are not exactly 16 bytes.
        package init?(sender bytes: [UInt8], channel: UInt32) {
            guard bytes.count == MessageLimits.maximumIdentity else { return nil }
            self.init(sender: bytes.reduce(0) { $0 << 8 | UInt128($1) }, channel: channel)
        }
        /// The 16 bytes of the sender's identity.

        var senderBytes: [UInt8] {
            (0..<MessageLimits.maximumIdentity).reversed().map { UInt8(truncatingIfNeeded: sender >> (8 * $0)) }
        }
    }

    /// The channel that the event comes from.
    package let origin: Origin
    /// The number of the event on that channel.
    package let number: UInt64

    /// Creates a name from its parts.
    package init(origin: Origin, number: UInt64) {
        self.origin = origin
        self.number = number
    }
}

/// The client's end of the origin table of one channel: it maps each origin to its index in the present session.
///
/// Indices are reused in rotation. When the table is full, a new origin replaces the one that was introduced longest
/// ago. The replaced origin is introduced again with its next event.
struct OriginIndex {
    /// The maximum number of origins at a time.
    private let limit: Int
    private var origins: [EventName.Origin] = []
    private var places: [EventName.Origin: UInt32] = [:]
    private var next = 0
    private var recent: (origin: EventName.Origin, place: UInt32)?

    init(limit: Int = MessageLimits.maximumOrigins) {
        self.limit = limit
    }

    /// Returns the index of an origin, and whether the origin must be introduced to the peer first.
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
    /// Returns the sender of an event as it appears in the event's message. Introduces the origin to the peer first if
    /// the peer does not know it.
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

/// The server's end of the origin table of one channel: it maps each index to its origin.
package struct OriginTable: Sendable {
    /// The origin of events without an explicit origin: the client that opened the channel.
    private let opener: EventName.Origin
    /// The origins by their indices. This is not an array, because the peer chooses the indices.
    private var origins: [UInt32: EventName.Origin] = [:]

    /// Creates a table without introduced origins.
    package init(opener: EventName.Origin) {
        self.opener = opener
    }

    /// Assigns an origin to an index, which may replace an earlier origin.
    package mutating func introduce(_ message: OriginMessage) {
        // Decoding has checked the message: the sender has 16 bytes, and the index is below the limit.
        origins[message.index] = EventName.Origin(sender: message.sender, channel: message.channel)
    }

    /// Returns the name of an event.
    ///
    /// - Throws: `WireError` if the origin of the event was never introduced.
    package func name(of message: borrowing EventMessage.Borrowed) throws(WireError) -> EventName {
        guard let origin = message.origin else { return EventName(origin: opener, number: message.event) }
        guard let known = origins[origin.index] else {
            throw .session("Event \(message.event) comes from origin \(origin.index), which was not introduced.")
        }
        return EventName(origin: known, number: origin.number)
    }
}
