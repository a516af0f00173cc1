package import LatticeWire

/// A receiver of the messages of one channel. All requirements are called on the event loop.
///
/// Features use ``ChannelClient`` and ``ChannelServer``. Other kinds of channels have conforming types of their own.
package protocol SessionChannel: AnyObject, Sendable {
    /// Receives a message of the channel.
    ///
    /// - Parameter body: The message's body, which is valid only during the call.
    /// - Throws: An error that ends the session with a goodbye that names the violation.
    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer) throws(WireError)

    /// Receives a message whose payload arrived in parts and is now complete.
    func receive(_ kind: MessageKind, _ body: UnsafeRawBufferPointer, payload: [UInt8]) throws(WireError)

    /// Handles a change of the session's output: messages that waited have room now, or data whose write was awaited is
    /// in the socket.
    func sessionDrained()

    /// Prepares for the orderly end of the session by this side.
    ///
    /// - Returns: The messages that waited for room and must still be sent, in order.
    func sessionEnds() -> [(kind: MessageKind, body: SplitBody)]

    /// Handles the other side's closing of the channel, which it had opened.
    func close()

    /// Handles the end of the session. Another session may already have taken its place.
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

/// Routes the messages of a session to its channels, regardless of which side opened them.
///
/// The side that connected opens channels with odd numbers. The side that accepted the connection opens channels with
/// even numbers.
struct Multiplexer {
    private var channels: [UInt32: any SessionChannel] = [:]
    /// The channel that received the last message, which will most likely receive the next one too.
    private var recent: (number: UInt32, channel: any SessionChannel)?
    /// The highest numbers that the two sides have opened. They distinguish a late message for a closed channel from a
    /// message for a channel that was never opened.
    private var highest: (odd: UInt32, even: UInt32) = (0, 0)

    /// Records that an `open` with this number was sent or received.
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

    /// Returns the channel that receives a message. It is called for each message, so it remembers the last result.
    mutating func channel(for number: UInt32) -> (any SessionChannel)? {
        if let recent, recent.number == number { return recent.channel }
        guard let channel = channels[number] else { return nil }
        recent = (number, channel)
        return channel
    }

    /// Returns whether either side has ever opened a channel with this number, even if it has been closed since.
    func wasOpened(_ number: UInt32) -> Bool {
        number <= (number.isMultiple(of: 2) ? highest.even : highest.odd)
    }
}
