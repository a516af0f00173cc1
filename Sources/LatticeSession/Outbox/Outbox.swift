package import LatticeWire

/// What waits to be written to one connection, in the order in which it has to go out.
///
/// Small frames go straight into the next batch. A large message is cut into chunks of which one is taken at a time,
/// channel by channel in turn, so that a control frame waits behind at most one batch. Within a channel the data lane
/// is first in, first out.
///
/// One thread at a time writes: `startWriting` hands the batch to whoever asks first, and everybody else only adds.
/// The states of writing:
/// - `idle`: nobody writes; the next `startWriting` gets the batch.
/// - `writing`: somebody has the batch in hand.
/// - `blocked`: the connection took only a part; `connectionIsWritable` has to come first.
package struct Outbox {
    private enum Writing { case idle, writing, writingWithRoom, blocked }

    private struct Large {
        let kind: MessageKind
        let body: [UInt8]
        var offset = 0
    }

    private enum Item {
        /// Whole frames.
        case frames([UInt8])
        case large(Large)
    }

    private let limits: OutboxLimits
    private var writing = Writing.idle
    /// The next batch: complete frames.
    private var ready: [UInt8] = []
    /// A batch that the connection took a part of.
    private var rest: [UInt8] = []
    private var restOffset = 0
    /// Data that waits behind the batch, each channel's in order; the channel at the front is next.
    private var waiting: [(channel: UInt32, items: [Item])] = []
    private var waitingBytes = 0
    /// Frames that go out once nothing else waits.
    private var last: [UInt8] = []
    private var spare: [UInt8] = []

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
        try append(&ready)
    }

    /// Adds a data frame that is small enough not to be cut: `append` writes one whole frame.
    package mutating func addData(on channel: UInt32, _ append: (inout [UInt8]) throws -> Void) rethrows {
        if waiting.isEmpty, ready.count < limits.batchBytes {
            try append(&ready)
        } else {
            var frames: [UInt8] = []
            try append(&frames)
            enqueue(.frames(frames), on: channel, bytes: frames.count)
        }
    }

    /// Adds a message of any size; a large one is cut into chunks as it goes out.
    package mutating func addData(_ kind: MessageKind, on channel: UInt32, body: [UInt8]) {
        if body.count <= FrameLimits.maximumBody {
            addData(on: channel) { bytes in
                FrameHeader(length: UInt32(body.count), kind: kind, channel: channel).append(to: &bytes)
                bytes.append(contentsOf: body)
            }
        } else {
            enqueue(.large(Large(kind: kind, body: body)), on: channel, bytes: body.count)
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
            frames += more
            waiting[index].items.append(.frames(frames))
        } else {
            waiting[index].items.append(item)
        }
    }

    // MARK: Writing

    /// The bytes to write now, or nil: there are none, or somebody else is writing, or there is no room.
    package mutating func startWriting() -> ArraySlice<UInt8>? {
        guard writing == .idle else { return nil }
        if rest.isEmpty {
            takeWaiting()
            if waiting.isEmpty, !last.isEmpty {
                ready += last
                last = []
            }
            guard !ready.isEmpty else { return nil }
            swap(&rest, &ready)
            swap(&ready, &spare)
            restOffset = 0
        }
        writing = .writing
        return rest[restOffset...]
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
        if rest.capacity <= limits.keptBytes { rest.removeAll(keepingCapacity: true) } else { rest = [] }
        if spare.capacity == 0 { swap(&spare, &rest) } else { rest = [] }
    }

    /// Moves waiting data into the batch, channel by channel, one chunk's worth: a control frame that comes next waits
    /// behind no more.
    private mutating func takeWaiting() {
        while ready.count < FrameLimits.maximumBody, !waiting.isEmpty {
            var lane = waiting.removeFirst()
            let channel = lane.channel
            switch lane.items[0] {
            case .frames(let frames):
                ready.append(contentsOf: frames)
                waitingBytes -= frames.count
                lane.items.removeFirst()
            case .large(var large):
                let length = min(FrameLimits.maximumBody, large.body.count - large.offset)
                let isLast = large.offset + length == large.body.count
                FrameHeader(
                    length: UInt32(length),
                    kind: large.kind,
                    flags: isLast ? [] : .more,
                    channel: channel
                ).append(to: &ready)
                ready.append(contentsOf: large.body[large.offset..<large.offset + length])
                waitingBytes -= length
                large.offset += length
                if isLast { lane.items.removeFirst() } else { lane.items[0] = .large(large) }
            }
            if !lane.items.isEmpty { waiting.append(lane) }
        }
    }
}
