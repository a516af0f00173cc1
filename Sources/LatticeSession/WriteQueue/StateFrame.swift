import LatticeWire

/// What goes out of a state to many: its frame is put together once and then shared, as long as it is the same for all.
package struct StateFrame {
    package let offer: StateOffer
    // Of the offer, beside it: to ask that would count a reference to its bytes, once for each who gets them.
    fileprivate let base: UInt64?
    fileprivate let count: Int
    /// The frame, or those that a large message is cut into.
    private var frames: [SharedFrame] = []
    private var channel: UInt32 = 0
    private var applied: UInt64 = 0

    package init(_ offer: StateOffer) {
        self.offer = offer
        base = offer.base
        count = offer.count
    }

    /// Adds the message to a queue, for one of those who get it.
    package mutating func add(to queue: inout WriteQueue, applied: UInt64, on channel: UInt32) {
        if frames.isEmpty || channel != self.channel || applied != self.applied {
            self.channel = channel
            self.applied = applied
            frames = count <= WriteQueue.maximumInline ? [wholeFrame()] : cutFrames()
        }
        if frames.count == 1 {
            queue.addData(frames[0], on: channel)
        } else {
            queue.addCut(frames, on: channel)
        }
    }

    private func wholeFrame() -> SharedFrame {
        var bytes: [UInt8] = []
        offer.appendFrame(to: &bytes, applied: applied, channel: channel)
        return SharedFrame(bytes)
    }

    private func cutFrames() -> [SharedFrame] {
        let (kind, body) = offer.message(applied: applied)
        var message = LargeMessage(kind, on: channel, body: body)
        var frames: [SharedFrame] = []
        var bytes: [UInt8] = []
        while !message.isDone {
            bytes.removeAll(keepingCapacity: true)
            _ = message.appendFrame(to: &bytes)
            frames.append(SharedFrame(bytes))
        }
        return frames
    }
}

/// What goes out of a state to many who are not all told the same: most of them what has changed since the state
/// before, some the whole state.
package struct StateFrames {
    /// The number of the state.
    package let revision: UInt64
    private var frames: [StateFrame] = []

    package init(revision: UInt64) {
        self.revision = revision
    }

    /// The place of what can be told to who has the state with the number `base`; nil: that is not here.
    func place(since base: UInt64?) -> Int? {
        frames.firstIndex { $0.base == base }
    }

    /// The size of a state that is here as a whole; nil for a change.
    func stateBytes(at place: Int) -> Int? {
        let offer = frames[place].offer
        return offer.base == nil ? offer.count : nil
    }

    mutating func add(_ offer: StateOffer) {
        frames.append(StateFrame(offer))
    }

    /// Adds what is told to a queue, and keeps it here for others.
    mutating func add(_ offer: StateOffer, to queue: inout WriteQueue, applied: UInt64, on channel: UInt32) {
        // Looked up once: two look-ups in a row are more than the optimizer of Swift 6.3 can take.
        let place = place(since: offer.base) ?? frames.endIndex
        if place == frames.endIndex { add(offer) }
        add(at: place, to: &queue, applied: applied, on: channel)
    }

    /// Adds what is here to a queue.
    mutating func add(at place: Int, to queue: inout WriteQueue, applied: UInt64, on channel: UInt32) {
        // What goes in parts is copied by no queue.
        guard frames[place].count <= queue.limits.wholeBytes else {
            return queue.addState(frames[place].offer, applied: applied, on: channel)
        }
        frames[place].add(to: &queue, applied: applied, on: channel)
    }
}

extension StateOffer {
    /// Appends the message that tells it as one frame, into which it has to fit.
    func appendFrame(to bytes: inout [UInt8], applied: UInt64, channel: UInt32) {
        switch content {
        case .snapshot(let state):
            StateMessage.appendFrame(to: &bytes, channel: channel, revision: revision, applied: applied, state: state)
        case .patch(let base, let changes):
            PatchMessage.appendFrame(
                to: &bytes,
                channel: channel,
                base: base,
                revision: revision,
                applied: applied,
                changes: changes
            )
        }
    }

    /// The message that tells it.
    func message(applied: UInt64) -> (kind: MessageKind, body: [UInt8]) {
        switch content {
        case .snapshot(let state):
            (.state, StateMessage(revision: revision, applied: applied, state: state).encoded)
        case .patch(let base, let changes):
            (.patch, PatchMessage(base: base, revision: revision, applied: applied, changes: changes).encoded)
        }
    }
}

/// A whole frame that goes out to many: each queue keeps a reference instead of a copy.
package final class SharedFrame: @unchecked Sendable {
    // Unchecked: the bytes are written here, before anybody else has the object, and never again.

    /// Valid as long as the object.
    package let bytes: UnsafeRawBufferPointer

    package init(_ frame: some Collection<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.count, alignment: 1)
        memory.copyBytes(from: frame)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit {
        bytes.deallocate()
    }

    package var count: Int { bytes.count }
}
