import DequeModule
import LatticeWire

/// The data of one channel that waits to be written, in order.
struct WriteLane {
    enum Item {
        /// Whole frames.
        case frames(FrameBatch)
        case large(LargeMessage)
        /// The frames of one large message, which goes to many; those that are left.
        case cut(ArraySlice<SharedFrame>)
        /// A message whose payload goes in parts, as the other side gives credit.
        case parts(PartSender)
    }

    /// What was moved into a batch.
    struct Taken {
        var bytes = 0
        /// How many of them somebody keeps anyway.
        var kept = 0
        /// How many of them are parts of a payload.
        var parts = 0
        /// Whether it was the last part.
        var endsParts = false
        /// The size of the large message whose last chunk it was; 0 if it was none.
        var finished = 0
    }

    private var items: Deque<Item>
    /// What the first message takes in chunks, once it may go; 0 for whole frames.
    private var begun: Int?

    init(_ item: Item) {
        items = [item]
    }

    var isEmpty: Bool { items.isEmpty }
    var hasBegun: Bool { begun != nil }

    /// Whether it waits for credit.
    var isStarved: Bool { if case .parts(let parts)? = items.first { parts.state == .starved } else { false } }

    /// The other side takes more of the parts.
    mutating func grant(_ bytes: UInt64) {
        guard case .parts(var parts)? = items.first else { return }
        parts.grant(bytes)
        items[0] = .parts(parts)
    }

    /// Bytes of the first message if it takes several chunks, else 0. Of parts the other side says what it takes, so
    /// they count for next to nothing here.
    var chunkedBytes: Int {
        switch items[0] {
        case .frames: 0
        case .large(let large): large.isChunked ? large.count : 0
        case .parts: 1
        case .cut(let frames): frames.count > 1 ? frames.reduce(0) { $0 + $1.count } : 0
        }
    }

    /// - Parameter bytes: `chunkedBytes`.
    mutating func begin(_ bytes: Int) {
        begun = bytes
    }

    /// - Parameter limit: Small frames are put together up to this size: one item for each would make a long line.
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

    /// Moves the first frame, or the first whole frames.
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
