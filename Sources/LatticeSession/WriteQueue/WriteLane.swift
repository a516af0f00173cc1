import DequeModule
import LatticeWire

/// The data of one channel that waits to be written, in the order of writing.
struct WriteLane {
    /// An element of the lane.
    enum Item {
        /// Whole frames of small messages.
        case frames(FrameBatch)
        /// A message that may have to be cut into several frames.
        case large(LargeMessage)
        /// The remaining frames of one large message that several channels share.
        case cut(ArraySlice<SharedFrame>)
        /// A message whose payload is sent in parts, as the peer grants credit.
        case parts(PartSender)
    }

    /// The bytes that were moved into a batch.
    struct Taken {
        /// The number of bytes.
        var bytes = 0
        /// The number of bytes whose payload is kept in memory by another owner anyway.
        var kept = 0
        /// The number of bytes that are parts of a payload.
        var parts = 0
        /// Whether the last part of a payload was moved.
        var endsParts = false
        /// The size of the large message whose last chunk was moved, or 0 if no large message ended.
        var finished = 0
    }

    private var items: Deque<Item>
    /// The chunked size of the first message after it has begun, which is 0 for whole frames. Nil before it has begun.
    private var begun: Int?

    init(_ item: Item) {
        items = [item]
    }

    /// Whether nothing waits in the lane.
    var isEmpty: Bool { items.isEmpty }
    /// Whether the first message may be sent.
    var hasBegun: Bool { begun != nil }

    /// Whether the first message waits for credit.
    var isStarved: Bool { if case .parts(let parts)? = items.first { parts.state == .starved } else { false } }

    /// Adds credit for the parts of the first message.
    mutating func grant(_ bytes: UInt64) {
        guard case .parts(var parts)? = items.first else { return }
        parts.grant(bytes)
        items[0] = .parts(parts)
    }

    /// The size in bytes of the first message if it takes several chunks, otherwise 0. A message in parts counts as 1,
    /// because the peer's credit already limits it.
    var chunkedBytes: Int {
        switch items[0] {
        case .frames: 0
        case .large(let large): large.isChunked ? large.count : 0
        case .parts: 1
        case .cut(let frames): frames.count > 1 ? frames.reduce(0) { $0 + $1.count } : 0
        }
    }

    /// Allows the first message to be sent.
    ///
    /// - Parameter bytes: The value of `chunkedBytes`.
    mutating func begin(_ bytes: Int) {
        begun = bytes
    }

    /// Adds an item.
    ///
    /// - Parameters:
    ///   - item: The item to add.
    ///   - limit: The size in bytes up to which whole frames are merged into one item. One item for each small frame
    ///     would make a long queue.
    mutating func append(_ item: Item, joiningUpTo limit: Int) {
        if case .frames(let more) = item, case .frames(var frames)? = items.last,
            frames.count + more.count <= limit
        {
            items.removeLast()
            frames.append(contentsOf: more)
            items.append(.frames(frames))
        } else {
            items.append(item)
        }
    }

    /// Moves the first frame of a large message, or the first item of whole frames, into a batch.
    mutating func takeFrame(into batch: inout FrameBatch) -> Taken {
        var taken = Taken()
        switch items[0] {
        case .frames(let frames):
            batch.append(contentsOf: frames)
            taken.bytes = frames.count
            removeFirst(&taken)
        case .cut(var frames):
            if let frame = frames.popFirst() {
                batch.append(frame)
                taken.bytes = frame.count
            }
            if frames.isEmpty { removeFirst(&taken) } else { items[0] = .cut(frames) }
        case .large(var large):
            taken.bytes = large.appendFrame(to: &batch.bytes)
            if large.isKept { taken.kept = taken.bytes }
            if large.isDone { removeFirst(&taken) } else { items[0] = .large(large) }
        case .parts(var parts):
            taken.parts = parts.appendFrame(to: &batch.bytes)
            taken.bytes = taken.parts
            taken.kept = taken.parts
            taken.endsParts = parts.state == .done
            if taken.endsParts { removeFirst(&taken) } else { items[0] = .parts(parts) }
        }
        return taken
    }

    private mutating func removeFirst(_ taken: inout Taken) {
        taken.finished = begun ?? 0
        begun = nil
        items.removeFirst()
    }
}

/// A message that may not fit into one frame, with the number of bytes that were already cut off.
struct LargeMessage {
    let kind: MessageKind
    let channel: UInt32
    private let body: SplitBody
    /// Whether another owner keeps the payload in memory anyway.
    let isKept: Bool
    /// The size of the body in bytes.
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

    /// Whether the message takes several frames.
    var isChunked: Bool { count > FrameLimits.maximumBody }
    /// Whether all frames have been appended.
    var isDone: Bool { offset == count }

    /// Appends the next frame with as many bytes as it may have.
    ///
    /// - Returns: The number of bytes of the body in the frame.
    mutating func appendFrame(to bytes: inout [UInt8]) -> Int {
        let end = min(offset + FrameLimits.maximumBody, count)
        let flags: FrameFlags = end == count ? [] : .more
        FrameHeader(length: UInt32(end - offset), kind: kind, flags: flags, channel: channel).append(to: &bytes)
        body.append(offset..<end, to: &bytes)
        defer { offset = end }
        return end - offset
    }
}
