/// A message whose payload is sent in parts, on the sending side. First it sends the message itself with the payload's
/// length, and then the parts for which the receiver has given credit.
package struct PartSender: Sendable {
    /// The state of such a message.
    ///
    /// - `waiting`: The message has not begun. The next frame is the message itself.
    /// - `sending`: There is credit for the next part.
    /// - `starved`: There is no credit until `grant`.
    /// - `done`: The whole payload has been sent.
    package enum State: Sendable, Equatable { case waiting, sending, starved, done }

    private let kind: MessageKind
    private let channel: UInt32
    private let head: [UInt8]
    private let payload: [UInt8]
    private var hasBegun = false
    private var offset = 0
    /// The number of bytes of the payload that may be sent so far.
    private var allowed = FrameLimits.firstParts

    /// Creates a message that is to be sent in parts.
    ///
    /// - Parameters:
    ///   - kind: The kind of the message.
    ///   - channel: The channel of the message.
    ///   - head: The body of the message, with the length of the payload in its place. It has to fit into one frame.
    ///   - payload: The payload, which has at least one byte.
    package init(_ kind: MessageKind, on channel: UInt32, head: [UInt8], payload: [UInt8]) {
        precondition(!payload.isEmpty && head.count <= FrameLimits.maximumBody)
        self.kind = kind
        self.channel = channel
        self.head = head
        self.payload = payload
    }

    /// The present state.
    package var state: State {
        if !hasBegun { return .waiting }
        if offset == payload.count { return .done }
        return offset < allowed ? .sending : .starved
    }

    /// The number of bytes of the payload that have not been sent.
    package var remaining: Int { payload.count - offset }

    /// Adds credit: the receiver accepts that many bytes more. Credit beyond the end of the payload has no effect.
    package mutating func grant(_ bytes: UInt64) {
        allowed += Int(min(bytes, UInt64(payload.count)))
        allowed = min(allowed, payload.count)
    }

    /// Appends the next frame, unless the message is starved or done.
    ///
    /// - Returns: The number of bytes of the payload in that frame.
    package mutating func appendFrame(to bytes: inout [UInt8]) -> Int {
        guard hasBegun else {
            hasBegun = true
            FrameHeader(length: UInt32(head.count), kind: kind, channel: channel).append(to: &bytes)
            bytes += head
            return 0
        }
        let end = min(offset + FrameLimits.maximumPart, allowed, payload.count)
        guard end > offset else { return 0 }
        PartMessage.appendFrame(to: &bytes, channel: channel, bytes: payload[offset..<end])
        defer { offset = end }
        return end - offset
    }
}
