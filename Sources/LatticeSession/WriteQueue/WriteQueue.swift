import DequeModule
package import LatticeWire

/// The messages that wait to be written to one connection, in the order of writing.
///
/// Small frames are appended directly to the next batch. A large message is cut into chunks. One chunk at a time is
/// moved into the batch, and the channels take turns, so a control frame such as a cancel waits for at most one batch.
///
/// The data of a channel is written in the order in which it was added. If nothing of two channels has been written
/// yet, the channel whose data was added first begins, because the numbers of opened channels have to ascend. A frame
/// that is sent to many peers is not copied. The batch refers to it.
///
/// One thread writes at a time. `startWriting` gives the batch to the first thread that asks, and all other threads
/// only add messages. The writing is in one of these states:
/// - `idle`: No thread writes. The next `startWriting` returns the batch.
/// - `writing`: A thread writes the batch.
/// - `writingWithRoom`: A thread writes the batch, and the connection has become writable again meanwhile.
/// - `blocked`: The connection accepted only a part of the batch. Writing continues after `connectionIsWritable`.
package struct WriteQueue {
    private enum Writing { case idle, writing, writingWithRoom, blocked }

    let limits: WriteQueueLimits
    private var writing = Writing.idle
    /// The next batch. It consists of complete frames.
    private var ready = FrameBatch()
    /// A batch that is being written, or of which the connection accepted only a part.
    private var rest = FrameBatch()
    private var restOffset = 0
    /// The data that waits for a later batch, by channel.
    private var lanes: [UInt32: WriteLane] = [:]
    /// The channels whose lanes may continue, in the order of their turns.
    private var order: Deque<UInt32> = []
    /// The channels whose lanes begin with a large message that waits until others are finished.
    private var parked: Deque<UInt32> = []
    /// The number of large messages of which some chunks have been written but not all, and the total size of these
    /// messages.
    private var unfinished = (count: 0, bytes: 0)
    private var waitingBytes = 0
    /// The part of `waitingBytes` that is kept in memory by other owners anyway.
    private var keptBytes = 0
    /// The number of messages whose payloads are sent in parts, and the size of their parts that wait.
    private var parts = (count: 0, bytes: 0)
    /// The number of bytes that have been written.
    private var written: UInt64 = 0
    /// Frames that are written when nothing else waits.
    private var last: [UInt8] = []
    private var spare = FrameBatch()

    /// Creates an empty queue.
    package init(limits: WriteQueueLimits = WriteQueueLimits()) {
        self.limits = limits
    }

    /// The number of bytes that wait.
    package var count: Int { batchCount + waitingBytes + last.count }
    /// The number of waiting bytes without those that other owners keep in memory anyway.
    package var ownCount: Int { count - keptBytes }
    /// A Boolean value that indicates whether the queue keeps more bytes than the limit allows.
    package var isOverLimit: Bool { ownCount > limits.maximumBytes }
    /// A Boolean value that indicates whether nothing waits.
    package var isEmpty: Bool { count == 0 }
    /// Whether a thread is writing the batch.
    var isBeingWritten: Bool { writing == .writing || writing == .writingWithRoom }
    private var batchCount: Int { ready.count + rest.count - restOffset }

    /// Returns whether this number of bytes can be added without exceeding the limit.
    package func hasRoom(for bytes: Int) -> Bool { ownCount + bytes <= limits.maximumBytes }

    /// Returns whether a state of the channel would wait in the queue.
    ///
    /// If it would, the state is better added later, because a newer one could replace it until then. A state also
    /// waits if the states of many channels together would otherwise exceed the limit. A single
    /// state in parts does not delay other channels, however large it is.
    package func isBacklogged(_ channel: UInt32) -> Bool {
        let batch = batchCount
        let waiting = parts.count == 1 ? waitingBytes - parts.bytes : waitingBytes
        if batch > limits.batchBytes || batch + waiting > limits.roomBytes { return true }
        return !lanes.isEmpty && lanes[channel] != nil
    }

    /// Returns the position at which the data of a channel ends, as a number of bytes since the beginning of the
    /// connection. Nil if the position is unknown, because some of the data is not in a batch yet.
    package func end(of channel: UInt32) -> UInt64? {
        lanes.isEmpty || lanes[channel] == nil ? controlEnd : nil
    }

    /// The position at which the control frames end.
    var controlEnd: UInt64 { written + UInt64(batchCount) }

    /// Returns whether the bytes up to this position have been written.
    package func hasWritten(_ end: UInt64) -> Bool { written >= end }

    /// Adds control frames. `append` appends whole frames.
    package mutating func addControl(_ append: (inout [UInt8]) throws -> Void) rethrows {
        try append(&ready.bytes)
    }

    /// Adds a data frame that is too small to be cut. `append` appends one whole frame.
    package mutating func addData(on channel: UInt32, _ append: (inout [UInt8]) throws -> Void) rethrows {
        if lanes.isEmpty, ready.count < limits.batchBytes {
            try append(&ready.bytes)
        } else {
            var frames = FrameBatch()
            try append(&frames.bytes)
            enqueue(.frames(frames), on: channel, bytes: frames.count)
        }
    }

    /// Adds a data frame that is shared with other queues.
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

    /// Adds a large message that is already cut and is shared with other queues.
    package mutating func addCut(_ frames: [SharedFrame], on channel: UInt32) {
        guard !frames.isEmpty else { return }
        enqueue(.cut(frames[...]), on: channel, bytes: frames.reduce(0) { $0 + $1.count })
    }

    /// Adds a message of any size. A large message is cut into chunks when it is written.
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

    /// Adds a large message whose body consists of several pieces.
    package mutating func addData(_ kind: MessageKind, on channel: UInt32, body: SplitBody) {
        enqueue(.large(LargeMessage(kind, on: channel, body: body, isKept: false)), on: channel, bytes: body.count)
    }

    /// Adds frames that must not overtake anything. They are written after everything that waits.
    package mutating func addLast(_ append: (inout [UInt8]) throws -> Void) rethrows {
        try append(&last)
    }

    /// Adds a message whose payload another owner keeps in memory until it has been written. The message does not count
    /// against the limit.
    package mutating func addKept(_ kind: MessageKind, on channel: UInt32, body: SplitBody) {
        let message = LargeMessage(kind, on: channel, body: body, isKept: true)
        keptBytes += message.count
        enqueue(.large(message), on: channel, bytes: message.count)
    }

    /// Adds a message whose payload is sent in parts, as the peer grants credit. The message does not count against the
    /// limit, because nothing is copied before it is sent.
    package mutating func addParts(_ message: PartSender, on channel: UInt32) {
        let bytes = message.remaining
        keptBytes += bytes
        parts.count += 1
        parts.bytes += bytes
        enqueue(.parts(message), on: channel, bytes: bytes)
    }

    /// Adds credit for the parts on a channel.
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

    /// Returns the frames to write now. Returns nil if nothing waits, another thread is writing, or the connection has
    /// no room.
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

    /// Records how many of those bytes were written, and returns whether to continue writing.
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

    /// Records that the connection has room again, and returns whether to write now.
    package mutating func connectionIsWritable() -> Bool {
        switch writing {
        case .blocked:
            writing = .idle
            return true
        case .writing:
            // The connection became writable between the write and this report of its result.
            writing = .writingWithRoom
            return false
        case .idle, .writingWithRoom:
            return false
        }
    }

    /// Prepares the written batch for further use.
    private mutating func recycle() {
        restOffset = 0
        // A buffer that has become large is freed.
        rest.removeAll(keeping: limits.keptBytes)
        if spare.hasRoom { rest = FrameBatch() } else { swap(&spare, &rest) }
    }

    /// Moves about one chunk of waiting data into the batch, channel by channel. A control frame that is added next
    /// therefore waits for no more than that.
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

    /// Allows the first message of a lane to be sent, and returns whether it may. The number of messages with several
    /// chunks that are in flight is limited, because the receiver reserves memory for each of them.
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

    /// Records that a large message of this size is finished, and lets parked lanes begin.
    private mutating func finish(_ bytes: Int) {
        unfinished.count -= 1
        unfinished.bytes -= bytes
        var count = 0
        for channel in parked {
            guard let index = lanes.index(forKey: channel), begin(at: index) else { break }
            count += 1
        }
        // These lanes come before others that were added later and have not had a turn.
        order.prepend(contentsOf: parked.prefix(count))
        parked.removeFirst(count)
    }
}
