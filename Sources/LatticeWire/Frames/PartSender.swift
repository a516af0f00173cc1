/// A message whose payload goes out in parts, as its sender has it: the message itself with the payload's length, then
/// the parts, as many as the receiver has given credit for.
///
/// Its states:
/// - begun not yet: the next frame is the message;
/// - sending: there is credit for the next part;
/// - starved: there is none, until `grant`;
/// - done: all of the payload has gone.
package struct PartSender: Sendable {
    package enum State: Sendable, Equatable { case waiting, sending, starved, done }

    private let kind: MessageKind
    private let channel: UInt32
    private let head: [UInt8]
    private let payload: [UInt8]
    private var hasBegun = false
    private var offset = 0
    /// How far the payload may go.
    private var allowed = FrameLimits.firstParts

    /// - Parameters:
    ///   - head: The body of the message, with the length of the payload in its place; it has to fit into one frame.
    ///   - payload: At least one byte.
    package init(_ kind: MessageKind, on channel: UInt32, head: [UInt8], payload: [UInt8]) {
        precondition(!payload.isEmpty && head.count <= FrameLimits.maximumBody)
        self.kind = kind
        self.channel = channel
        self.head = head
        self.payload = payload
    }

    package var state: State {
        if !hasBegun { return .waiting }
        if offset == payload.count { return .done }
        return offset < allowed ? .sending : .starved
    }

    /// Bytes of the payload that have not gone.
    package var remaining: Int { payload.count - offset }

    /// The receiver takes so many bytes more. Beyond the end of the payload they mean nothing.
    package mutating func grant(_ bytes: UInt64) {
        allowed += Int(min(bytes, UInt64(payload.count)))
        allowed = min(allowed, payload.count)
    }

    /// Appends the next frame, unless it is starved or done.
    ///
    /// - Returns: How many bytes of the payload are in it.
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
