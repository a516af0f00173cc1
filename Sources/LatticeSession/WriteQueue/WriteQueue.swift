import DequeModule
package import LatticeWire

/// What waits to be written to one connection, in the order in which it has to go out.
///
/// Small frames go straight into the next batch. A large message is cut into chunks of which one is taken at a time,
/// channel by channel in turn, so that a control frame (a cancel, say) waits behind at most one batch. Within a channel
/// the data lane is first in, first out; of two channels with nothing on its way yet the one whose data came first
/// begins first, as the numbers of opened channels have to ascend. A frame that goes to many is not copied: the batch
/// refers to it.
///
/// One thread at a time writes: `startWriting` hands the batch to whoever asks first, and everybody else only adds.
/// The states of writing:
/// - `idle`: nobody writes; the next `startWriting` gets the batch.
/// - `writing`: somebody has the batch in hand.
/// - `blocked`: the connection took only a part; `connectionIsWritable` has to come first.
package struct WriteQueue {
    private enum Writing { case idle, writing, writingWithRoom, blocked }

    let limits: WriteQueueLimits
    private var writing = Writing.idle
    /// The next batch: complete frames.
    private var ready = FrameBatch()
    /// A batch that the connection took a part of.
    private var rest = FrameBatch()
    private var restOffset = 0
    /// Data that waits behind the batch.
    private var lanes: [UInt32: WriteLane] = [:]
    /// The channels of the lanes that may go on; the first is next.
    private var order: Deque<UInt32> = []
    /// The channels of the lanes that begin with a large message, which waits for others to be done.
    private var parked: Deque<UInt32> = []
    /// Large messages of which some chunks have gone, and the bytes of all their chunks.
    private var unfinished = (count: 0, bytes: 0)
    private var waitingBytes = 0
    /// How many of these somebody keeps anyway.
    private var keptBytes = 0
    /// Messages whose payloads go in parts, and the bytes of those that wait.
    private var parts = (count: 0, bytes: 0)
    /// Bytes that have gone.
    private var written: UInt64 = 0
    /// Frames that go out once nothing else waits.
    private var last: [UInt8] = []
    private var spare = FrameBatch()

    package init(limits: WriteQueueLimits = WriteQueueLimits()) {
        self.limits = limits
    }

    /// Bytes that wait, in all.
    package var count: Int { batchCount + waitingBytes + last.count }
    /// The same without what somebody keeps anyway, which is not kept twice.
    package var ownCount: Int { count - keptBytes }
    package var isOverLimit: Bool { ownCount > limits.maximumBytes }
    package var isEmpty: Bool { count == 0 }
    /// Whether a thread has the batch in hand.
    var isBeingWritten: Bool { writing == .writing || writing == .writingWithRoom }
    private var batchCount: Int { ready.count + rest.count - restOffset }

    /// Whether so much may be added without going over the limit.
    package func hasRoom(for bytes: Int) -> Bool { ownCount + bytes <= limits.maximumBytes }

    /// Whether a state of the channel would wait: behind the batch, where a newer one could still replace it, or with
    /// so much else that the states of many channels together would go over the limit. One state in parts holds up none
    /// of another channel, however large it is.
    package func isBacklogged(_ channel: UInt32) -> Bool {
        let batch = batchCount
        let waiting = parts.count == 1 ? waitingBytes - parts.bytes : waitingBytes
        if batch > limits.batchBytes || batch + waiting > limits.roomBytes { return true }
        return !lanes.isEmpty && lanes[channel] != nil
    }

    /// Where the data of a channel that was added ends, in bytes written since the beginning; nil while that is not
    /// known, because some of it is not in the batch yet.
    package func end(of channel: UInt32) -> UInt64? {
        lanes.isEmpty || lanes[channel] == nil ? controlEnd : nil
    }

    /// Where the control frames that were added end.
    var controlEnd: UInt64 { written + UInt64(batchCount) }

    /// Whether so many bytes have gone, counted from the beginning.
    package func hasWritten(_ end: UInt64) -> Bool { written >= end }

    /// Adds a control frame: `append` writes whole frames.
    package mutating func addControl(_ append: (inout [UInt8]) throws -> Void) rethrows {
        try append(&ready.bytes)
    }

    /// Adds a data frame that is small enough not to be cut: `append` writes one whole frame.
    package mutating func addData(on channel: UInt32, _ append: (inout [UInt8]) throws -> Void) rethrows {
        if lanes.isEmpty, ready.count < limits.batchBytes {
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
        if lanes.isEmpty, ready.count < limits.batchBytes {
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

    /// Adds a large message in pieces.
    package mutating func addData(_ kind: MessageKind, on channel: UInt32, body: SplitBody) {
        enqueue(.large(LargeMessage(kind, on: channel, body: body, isKept: false)), on: channel, bytes: body.count)
    }

    /// Adds frames that must not overtake anything: they go out when all that waits has gone.
    package mutating func addLast(_ append: (inout [UInt8]) throws -> Void) rethrows {
        try append(&last)
    }

    /// Adds a message whose payload somebody keeps until it has gone, and which does not count against the limit.
    package mutating func addKept(_ kind: MessageKind, on channel: UInt32, body: SplitBody) {
        let message = LargeMessage(kind, on: channel, body: body, isKept: true)
        keptBytes += message.count
        enqueue(.large(message), on: channel, bytes: message.count)
    }

    /// Adds a message whose payload goes in parts, as the other side gives credit, and does not count against the
    /// limit: nothing of it is copied before.
    package mutating func addParts(_ message: PartSender, on channel: UInt32) {
        let bytes = message.remaining
        keptBytes += bytes
        parts.count += 1
        parts.bytes += bytes
        enqueue(.parts(message), on: channel, bytes: bytes)
    }

    /// The other side takes so many bytes more of the parts on a channel.
    package mutating func grant(_ bytes: UInt64, on channel: UInt32) {
        guard let index = lanes.index(forKey: channel) else { return }
        let wasStarved = lanes.values[index].isStarved
        lanes.values[index].grant(bytes)
        if wasStarved, !lanes.values[index].isStarved { order.append(channel) }
    }

    private mutating func enqueue(_ item: WriteLane.Item, on channel: UInt32, bytes: Int) {
        waitingBytes += bytes
        if let index = lanes.index(forKey: channel) {
            lanes.values[index].append(item, joiningUpTo: limits.batchBytes)
        } else {
            lanes[channel] = WriteLane(item)
            order.append(channel)
        }
    }

    // MARK: Writing

    /// What to write now, or nil: there is nothing, or somebody else is writing, or there is no room.
    package mutating func startWriting() -> WriteBatch? {
        guard writing == .idle else { return nil }
        if rest.isEmpty {
            takeWaiting()
            if lanes.isEmpty, !last.isEmpty {
                ready.bytes += last
                last = []
            }
            guard !ready.isEmpty else { return nil }
            swap(&rest, &ready)
            swap(&ready, &spare)
            restOffset = 0
        }
        writing = .writing
        return WriteBatch(frames: rest, offset: restOffset)
    }

    /// Tells how many of those bytes went out. Answers whether to go on writing.
    package mutating func finishWriting(_ count: Int) -> Bool {
        restOffset += count
        written += UInt64(count)
        let hadRoom = writing == .writingWithRoom
        if restOffset == rest.count {
            writing = .idle
            recycle()
            return !(ready.isEmpty && lanes.isEmpty && last.isEmpty)
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
        while ready.count < FrameLimits.maximumBody, !order.isEmpty {
            let channel = order.removeFirst()
            guard let index = lanes.index(forKey: channel) else { continue }
            guard lanes.values[index].hasBegun || (parked.isEmpty && begin(at: index)) else {
                parked.append(channel)
                continue
            }
            let taken = lanes.values[index].takeFrame(into: &ready)
            waitingBytes -= taken.bytes
            keptBytes -= taken.kept
            parts.bytes -= taken.parts
            if taken.endsParts { parts.count -= 1 }
            if lanes.values[index].isEmpty {
                lanes.remove(at: index)
            } else if !lanes.values[index].isStarved {
                order.append(channel)
            }
            if taken.finished > 0 { finish(taken.finished) }
        }
    }

    /// Lets a lane send its first message. Of those that take several chunks only some are on their way at a time: who
    /// receives them reserves memory for each.
    private mutating func begin(at index: Dictionary<UInt32, WriteLane>.Index) -> Bool {
        let bytes = lanes.values[index].chunkedBytes
        guard
            bytes == 0 || unfinished.count == 0
                || (unfinished.count < limits.maximumUnfinished
                    && unfinished.bytes + bytes <= limits.maximumUnfinishedBytes)
        else { return false }
        if bytes > 0 {
            unfinished.count += 1
            unfinished.bytes += bytes
        }
        lanes.values[index].begin(bytes)
        return true
    }

    private mutating func finish(_ bytes: Int) {
        unfinished.count -= 1
        unfinished.bytes -= bytes
        var count = 0
        for channel in parked {
            guard let index = lanes.index(forKey: channel), begin(at: index) else { break }
            count += 1
        }
        // Ahead of those that came later and have not had their turn.
        order.prepend(contentsOf: parked.prefix(count))
        parked.removeFirst(count)
    }
}
