package import LatticeWire

/// What messages of one channel are routed to. Everything is called on the event loop.
///
/// Features have ``ChannelClient`` and ``ChannelServer``; other kinds of channels stand beside them.
package protocol SessionChannel: AnyObject, Sendable {
    /// A message of the channel. `body` is valid only during the call. Throwing ends the session with a goodbye that
    /// names the violation.
    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError)

    /// The same for one whose payload came in parts, and is whole now.
    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer, payload: [UInt8]) throws(WireError)

    /// There is room for what had to wait, or what was awaited is in the socket.
    func sessionDrained()

    /// This side ends the session in good order.
    ///
    /// - Returns: What waits for room and is still to go out, in order.
    func sessionEnds() -> [(kind: MessageKind, body: SplitBody)]

    /// The other side, which opened the channel, has left it.
    func close()

    /// The session is over; another one may have taken its place already.
    func sessionEnded(_ session: Session)
}

extension SessionChannel {
    package func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer, payload: [UInt8]) throws(WireError) {
        throw .unexpected(kind, at: "a channel that takes no payloads in parts")
    }

    package func sessionDrained() {}
    package func sessionEnds() -> [(kind: MessageKind, body: SplitBody)] { [] }
    package func close() {}
    package func sessionEnded(_ session: Session) {}
}

/// Routes the messages of a session to its channels, whichever side has opened them: who began the session opens odd
/// numbers, who accepted it even ones.
struct Multiplexer {
    private var channels: [UInt32: any SessionChannel] = [:]
    /// The one that got the last message, and will most likely get the next.
    private var recent: (number: UInt32, channel: any SessionChannel)?
    /// The highest number that either side has opened: by it what comes late for a channel that is gone is told from
    /// nonsense.
    private var highest: (odd: UInt32, even: UInt32) = (0, 0)

    /// An `open` went out or came with this number.
    mutating func opened(_ number: UInt32) {
        if number.isMultiple(of: 2) {
            highest.even = max(highest.even, number)
        } else {
            highest.odd = max(highest.odd, number)
        }
    }

    mutating func attach(_ channel: any SessionChannel, as number: UInt32) {
        opened(number)
        channels[number] = channel
        recent = nil
    }

    mutating func detach(_ number: UInt32) {
        channels[number] = nil
        recent = nil
    }

    mutating func removeAll() -> [any SessionChannel] {
        defer { self = Multiplexer() }
        return channels.sorted { $0.key < $1.key }.map(\.value)
    }

    subscript(number: UInt32) -> (any SessionChannel)? { channels[number] }

    /// Who gets a message. Looked up for each one.
    mutating func channel(for number: UInt32) -> (any SessionChannel)? {
        if let recent, recent.number == number { return recent.channel }
        guard let channel = channels[number] else { return nil }
        recent = (number, channel)
        return channel
    }

    /// Whether either side has opened a channel of this number, whatever became of it.
    func wasOpened(_ number: UInt32) -> Bool {
        number <= (number.isMultiple(of: 2) ? highest.even : highest.odd)
    }
}
