package import LatticeWire

/// The globally unique name of an event: its sender, its channel at the sender, and its number on that channel.
package struct EventName: Hashable, Sendable {
    /// The origin of events: one channel of one sender.
    package struct Origin: Hashable, Sendable {
        /// The 16-byte identity of the sender. The first byte is the most significant one.
        package let sender: UInt128
        /// The number of the channel at the sender. The sender never reuses it for another channel.
        package let channel: UInt32
        /// The number under which this process knows the facts about the sender (``SenderFacts``), or 0. It is no part
        /// of the name: a client that comes back as another process sends under the same name.
        package var connection: UInt32

        /// Creates an origin from its parts.
        package init(sender: UInt128, channel: UInt32, connection: UInt32 = 0) {
            self.sender = sender
            self.channel = channel
            self.connection = connection
        }

        package static func == (left: Origin, right: Origin) -> Bool {
            left.sender == right.sender && left.channel == right.channel
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(sender)
            hasher.combine(channel)
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
    package var origin: Origin
    /// The number of the event on that channel.
    package let number: UInt64

    /// Creates a name from its parts.
    package init(origin: Origin, number: UInt64) {
        self.origin = origin
        self.number = number
    }
}

/// The facts that a coordinator has determined about the process of a client. All events of one connection share them.
package final class SenderFacts: Sendable {
    /// The process, or nil if the system does not report it.
    package let processID: Int32?
    /// The user of the process, or nil if the system does not report it.
    package let userID: UInt32?
    /// The path of the program that the process ran when it connected, or nil if it is unknown.
    package let program: String?

    /// Creates facts from their parts.
    package init(processID: Int32?, userID: UInt32?, program: String?) {
        self.processID = processID
        self.userID = userID
        self.program = program
    }

    /// Creates the facts that a message contains.
    fileprivate init(_ message: OriginMessage) {
        processID = message.processID.flatMap { Int32(exactly: $0) }
        userID = message.userID
        program = message.program
    }
}

extension OriginMessage {
    /// Creates the message that introduces an origin. A path that is too long is left out.
    fileprivate init(_ origin: EventName.Origin, as index: UInt32, _ facts: SenderFacts?) {
        self.init(
            index: index,
            sender: origin.senderBytes,
            channel: origin.channel,
            processID: facts?.processID.flatMap { UInt32(exactly: $0) },
            userID: facts?.userID,
            program: facts?.program.flatMap { 1...MessageLimits.maximumProgram ~= $0.utf8.count ? $0 : nil }
        )
    }
}

/// The client's end of the origin table of one channel: it maps each origin to its index in the present session.
///
/// Indices are reused in rotation. When the table is full, a new origin replaces the one that was introduced longest
/// ago. The replaced origin is introduced again with its next event.
struct OriginIndex {
    /// An origin with the process that sends under it, which has to be introduced too.
    private struct Key: Hashable {
        let origin: EventName.Origin
        let connection: UInt32

        init(_ origin: EventName.Origin) {
            self.origin = origin
            connection = origin.connection
        }
    }

    /// The maximum number of origins at a time.
    private let limit: Int
    private var origins: [EventName.Origin] = []
    private var places: [Key: UInt32] = [:]
    private var next = 0
    private var recent: (origin: EventName.Origin, place: UInt32)?

    init(limit: Int = MessageLimits.maximumOrigins) {
        self.limit = limit
    }

    /// Returns the index of an origin, and whether the origin must be introduced to the peer first.
    mutating func index(of origin: EventName.Origin) -> (index: UInt32, isNew: Bool) {
        if let recent, recent.origin == origin, recent.origin.connection == origin.connection {
            return (recent.place, false)
        }
        if let place = places[Key(origin)] {
            recent = (origin, place)
            return (place, false)
        }
        let place = UInt32(next)
        if next < origins.count {
            places[Key(origins[next])] = nil
            origins[next] = origin
        } else {
            origins.append(origin)
        }
        places[Key(origin)] = place
        recent = (origin, place)
        next = next + 1 == limit ? 0 : next + 1
        return (place, true)
    }
}

extension ChannelClient {
    /// Returns the sender of an event as it appears in the event's message. Introduces the origin to the peer first if
    /// the peer does not know it. The facts about the sender are only looked up then.
    func introduce(
        _ name: EventName,
        of event: UInt64,
        _ core: inout Core,
        _ queue: inout WriteQueue
    ) -> EventMessage.Origin {
        let (index, isNew) = core.origins.index(of: name.origin)
        if isNew {
            let facts = core.state.window.promise(of: event)?.sender
            queue.addData(OriginMessage(name.origin, as: index, facts), on: number)
        }
        return EventMessage.Origin(index: index, number: name.number)
    }
}

/// The server's end of the origin table of one channel: it maps each index to its origin.
package struct OriginTable: Sendable {
    /// The origin of events without an explicit origin: the client that opened the channel.
    private let opener: EventName.Origin
    /// The origins by their indices. This is not an array, because the peer chooses the indices.
    private var origins: [UInt32: (origin: EventName.Origin, facts: SenderFacts)] = [:]
    /// The number of introductions. Each one is a connection of its own.
    private var introductions: UInt32 = 0
    /// The indices of the origins by the numbers of their introductions.
    private var indices: [UInt32: UInt32] = [:]

    /// Creates a table without introduced origins.
    package init(opener: EventName.Origin) {
        self.opener = opener
    }

    /// Assigns an origin to an index, which may replace an earlier origin.
    package mutating func introduce(_ message: OriginMessage) {
        // Decoding has checked the message: the sender has 16 bytes, and the index is below the limit.
        introductions &+= 1
        guard var origin = EventName.Origin(sender: message.sender, channel: message.channel) else { return }
        origin.connection = introductions
        if let old = origins[message.index] { indices[old.origin.connection] = nil }
        origins[message.index] = (origin, SenderFacts(message))
        indices[introductions] = message.index
    }

    /// Returns the name of an event.
    ///
    /// - Throws: `WireError` if the origin of the event was never introduced.
    package func name(of message: borrowing EventMessage.Borrowed) throws(WireError) -> EventName {
        guard let origin = message.origin else { return EventName(origin: opener, number: message.event) }
        guard let known = origins[origin.index] else {
            throw .session("Event \(message.event) comes from origin \(origin.index), which was not introduced.")
        }
        return EventName(origin: known.origin, number: origin.number)
    }

    /// Returns whether events of this origin come from the process that opened the channel, and not from a client of
    /// it.
    package func isOpener(_ origin: EventName.Origin) -> Bool { origin == opener }

    /// Returns the facts about the sender of an event, or nil if another origin has replaced the origin since.
    package func facts(about origin: EventName.Origin) -> SenderFacts? {
        indices[origin.connection].flatMap { origins[$0]?.facts }
    }
}
