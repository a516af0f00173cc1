import LatticeWire

/// A message that may not fit into one frame, and how much of it was cut off already.
struct LargeMessage {
    let kind: MessageKind
    let channel: UInt32
    private let body: SplitBody
    /// Whether somebody else keeps the payload.
    let isKept: Bool
    /// Bytes of the body.
    let count: Int
    private var offset = 0

    init(_ kind: MessageKind, on channel: UInt32, body: [UInt8]) {
        self.init(kind, on: channel, body: SplitBody(head: [], payload: body, tail: []), isKept: false)
    }

    init(_ kind: MessageKind, on channel: UInt32, body: SplitBody, isKept: Bool) {
        self.kind = kind
        self.channel = channel
        self.body = body
        self.isKept = isKept
        count = body.count
    }

    var isChunked: Bool { count > FrameLimits.maximumBody }
    var isDone: Bool { offset == count }

    /// Appends the next frame, as large as one may be.
    ///
    /// - Returns: How many bytes of the body are in it.
    mutating func appendFrame(to bytes: inout [UInt8]) -> Int {
        let end = min(offset + FrameLimits.maximumBody, count)
        let flags: FrameFlags = end == count ? [] : .more
        FrameHeader(length: UInt32(end - offset), kind: kind, flags: flags, channel: channel).append(to: &bytes)
        body.append(offset..<end, to: &bytes)
        defer { offset = end }
        return end - offset
    }
}
