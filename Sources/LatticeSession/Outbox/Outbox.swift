package import LatticeWire

/// What waits to be written to one connection, in the order in which it has to go out.
///
/// Small frames go straight into the next batch. A large message is cut into chunks of which one is taken at a time,
/// channel by channel in turn, so that a control frame waits behind at most one batch. Within a channel the data lane
/// is first in, first out. A frame that goes to many is not copied: the batch refers to it.
///
/// One thread at a time writes: `startWriting` hands the batch to whoever asks first, and everybody else only adds.
/// The states of writing:
/// - `idle`: nobody writes; the next `startWriting` gets the batch.
/// - `writing`: somebody has the batch in hand.
/// - `blocked`: the connection took only a part; `connectionIsWritable` has to come first.
package struct Outbox {
    private enum Writing { case idle, writing, writingWithRoom, blocked }

    private enum Item {
        /// Whole frames.
        case frames(FrameBatch)
        case large(LargeMessage)
        /// The frames of one large message, which goes to many; those that are left.
        case cut(ArraySlice<SharedFrame>)
    }

    private let limits: OutboxLimits
    private var writing = Writing.idle
    /// The next batch: complete frames.
    private var ready = FrameBatch()
    /// A batch that the connection took a part of.
    private var rest = FrameBatch()
    private var restOffset = 0
    /// Data that waits behind the batch, each channel's in order; the channel at the front is next.
    private var waiting: [(channel: UInt32, items: [Item])] = []
    private var waitingBytes = 0
    /// Frames that go out once nothing else waits.
    private var last: [UInt8] = []
    private var spare = FrameBatch()

    package init(limits: OutboxLimits = OutboxLimits()) {
        self.limits = limits
    }

    /// Bytes that wait, in all.
    package var count: Int { ready.count + rest.count - restOffset + waitingBytes + last.count }
    package var isOverLimit: Bool { count > limits.maximumBytes }
    package var isEmpty: Bool { count == 0 }

    /// Whether data of the channel waits behind the batch: then a newer state can still replace an older one.
    package func isBacklogged(_ channel: UInt32) -> Bool {
        if ready.count + rest.count - restOffset > limits.batchBytes { return true }
        return !waiting.isEmpty && waiting.contains { $0.channel == channel }
    }

    /// Adds a control frame: `append` writes whole frames.
    package mutating func addControl(_ append: (inout [UInt8]) throws -> Void) rethrows {
        try append(&ready.bytes)
    }

    /// Adds a data frame that is small enough not to be cut: `append` writes one whole frame.
    package mutating func addData(on channel: UInt32, _ append: (inout [UInt8]) throws -> Void) rethrows {
        if waiting.isEmpty, ready.count < limits.batchBytes {
            try append(&ready.bytes)
        } else {
            var frames = FrameBatch()
            try append(&frames.bytes)
            enqueue(.frames(frames), on: channel, bytes: frames.count)
        }
    }

    /// Adds a data frame that goes to others too.
    package mutating func addData(_ frame: SharedFrame, on channel: UInt32) {
        guard frame.count >= limits.sharedBytes else {
            return addData(on: channel) { $0.append(contentsOf: frame.bytes) }
        }
        if waiting.isEmpty, ready.count < limits.batchBytes {
            ready.append(frame)
        } else {
            var frames = FrameBatch()
            frames.append(frame)
            enqueue(.frames(frames), on: channel, bytes: frame.count)
        }
    }

    /// Adds a large message that goes to others too, cut already.
    package mutating func addCut(_ frames: [SharedFrame], on channel: UInt32) {
        guard !frames.isEmpty else { return }
        enqueue(.cut(frames[...]), on: channel, bytes: frames.reduce(0) { $0 + $1.count })
    }

    /// Adds a message of any size; a large one is cut into chunks as it goes out.
    package mutating func addData(_ kind: MessageKind, on channel: UInt32, body: [UInt8]) {
        if body.count <= FrameLimits.maximumBody {
            addData(on: channel) { bytes in
                FrameHeader(length: UInt32(body.count), kind: kind, channel: channel).append(to: &bytes)
                bytes.append(contentsOf: body)
            }
        } else {
            enqueue(.large(LargeMessage(kind, on: channel, body: body)), on: channel, bytes: body.count)
        }
    }

    /// Adds frames that must not overtake anything: they go out when all that waits has gone.
    package mutating func addLast(_ append: (inout [UInt8]) throws -> Void) rethrows {
        try append(&last)
    }

    private mutating func enqueue(_ item: Item, on channel: UInt32, bytes: Int) {
        waitingBytes += bytes
        guard let index = waiting.firstIndex(where: { $0.channel == channel }) else {
            return waiting.append((channel, [item]))
        }
        // Small frames are put together: one item for each would make a long line slow to take from.
        if case .frames(let more) = item, case .frames(var frames)? = waiting[index].items.last,
            frames.count + more.count <= limits.batchBytes
        {
            waiting[index].items.removeLast()
            frames.append(contentsOf: more)
            waiting[index].items.append(.frames(frames))
        } else {
            waiting[index].items.append(item)
        }
    }

    // MARK: Writing

    /// What to write now, or nil: there is nothing, or somebody else is writing, or there is no room.
    package mutating func startWriting() -> OutboxBatch? {
        guard writing == .idle else { return nil }
        if rest.isEmpty {
            takeWaiting()
            if waiting.isEmpty, !last.isEmpty {
                ready.bytes += last
                last = []
            }
            guard !ready.isEmpty else { return nil }
            swap(&rest, &ready)
            swap(&ready, &spare)
            restOffset = 0
        }
        writing = .writing
        return OutboxBatch(frames: rest, offset: restOffset)
    }

    /// Tells how many of those bytes went out. Answers whether to go on writing.
    package mutating func finishWriting(_ count: Int) -> Bool {
        restOffset += count
        let hadRoom = writing == .writingWithRoom
        if restOffset == rest.count {
            writing = .idle
            recycle()
            return !(ready.isEmpty && waiting.isEmpty && last.isEmpty)
        }
        writing = hadRoom ? .idle : .blocked
        return hadRoom
    }

    /// There is room again. Answers whether to write now.
    package mutating func connectionIsWritable() -> Bool {
        switch writing {
        case .blocked:
            writing = .idle
            return true
        case .writing:
            // The room came between the write and its report.
            writing = .writingWithRoom
            return false
        case .idle, .writingWithRoom:
            return false
        }
    }

    private mutating func recycle() {
        restOffset = 0
        // A buffer that once grew large is given back.
        rest.removeAll(keeping: limits.keptBytes)
        if spare.hasRoom { rest = FrameBatch() } else { swap(&spare, &rest) }
    }

    /// Moves waiting data into the batch, channel by channel, one chunk's worth: a control frame that comes next waits
    /// behind no more.
    private mutating func takeWaiting() {
        while ready.count < FrameLimits.maximumBody, !waiting.isEmpty {
            var lane = waiting.removeFirst()
            switch lane.items[0] {
            case .frames(let frames):
                ready.append(contentsOf: frames)
                waitingBytes -= frames.count
                lane.items.removeFirst()
            case .cut(var frames):
                if let frame = frames.popFirst() {
                    ready.append(frame)
                    waitingBytes -= frame.count
                }
                if frames.isEmpty { lane.items.removeFirst() } else { lane.items[0] = .cut(frames) }
            case .large(var large):
                waitingBytes -= large.appendFrame(to: &ready.bytes)
                if large.isDone { lane.items.removeFirst() } else { lane.items[0] = .large(large) }
            }
            if !lane.items.isEmpty { waiting.append(lane) }
        }
    }
}
