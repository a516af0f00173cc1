import LatticeWire

/// A message that may not fit into one frame, and how much of it was cut off already.
struct LargeMessage {
    let kind: MessageKind
    let channel: UInt32
    let body: [UInt8]
    private var offset = 0

    init(_ kind: MessageKind, on channel: UInt32, body: [UInt8]) {
        self.kind = kind
        self.channel = channel
        self.body = body
    }

    var isDone: Bool { offset == body.count }

    /// Appends the next frame, as large as one may be.
    ///
    /// - Returns: How many bytes of the body are in it.
    mutating func appendFrame(to bytes: inout [UInt8]) -> Int {
        let chunk = body[offset...].prefix(FrameLimits.maximumBody)
        offset = chunk.endIndex
        FrameHeader(length: UInt32(chunk.count), kind: kind, flags: isDone ? [] : .more, channel: channel)
            .append(to: &bytes)
        bytes.append(contentsOf: chunk)
        return chunk.count
    }
}
