import LatticeWire

/// A state or a change that is sent to many peers. Its frame is built once and shared, as long as it is the same for
/// all.
package struct StateFrame {
    /// The state or the change.
    package let offer: StateOffer
    // Copies of the offer's properties. Reading them from the offer would count a reference to its bytes, once for each
    // peer.
    fileprivate let base: UInt64?
    fileprivate let count: Int
    /// The frame, or the frames into which a large message is cut.
    private var frames: [SharedFrame] = []
    private var channel: UInt32 = 0
    private var applied: UInt64 = 0

    /// Creates a frame that is built when it is needed.
    package init(_ offer: StateOffer) {
        self.offer = offer
        base = offer.base
        count = offer.count
    }

    /// Adds the message to the queue of one peer.
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

/// The frames of one state for many peers that need different messages. Most peers need the change since the previous
/// state. Some need the whole state.
///
/// The frames belong to one ``StateSource``. A channel that shows another source does not send them.
package struct StateFrames {
    /// The source of the state.
    let source: ObjectIdentifier
    /// The revision of the state.
    package let revision: UInt64
    private var frames: [StateFrame] = []

    /// Creates an empty collection for the state of a source with this revision.
    init(of source: StateSource, revision: UInt64) {
        self.source = ObjectIdentifier(source)
        self.revision = revision
    }

    /// Returns the place of the frame for a peer that has the state `base`, or nil if it is not present.
    func place(since base: UInt64?) -> Int? {
        frames.firstIndex { $0.base == base }
    }

    /// Returns the size in bytes of a whole state, or nil for a change.
    func stateBytes(at place: Int) -> Int? {
        let offer = frames[place].offer
        return offer.base == nil ? offer.count : nil
    }

    /// Adds a frame for an offer.
    mutating func add(_ offer: StateOffer) {
        frames.append(StateFrame(offer))
    }

    /// Adds an offer to the queue of one peer and keeps its frame for others.
    mutating func add(_ offer: StateOffer, to queue: inout WriteQueue, applied: UInt64, on channel: UInt32) {
        // The place is looked up once, because the optimizer of Swift 6.3 cannot handle two look-ups in a row.
        let place = place(since: offer.base) ?? frames.endIndex
        if place == frames.endIndex { add(offer) }
        add(at: place, to: &queue, applied: applied, on: channel)
    }

    /// Adds the frame at this place to the queue of one peer.
    mutating func add(at place: Int, to queue: inout WriteQueue, applied: UInt64, on channel: UInt32) {
        // A payload that is sent in parts is not copied by any queue, so sharing gains nothing.
        guard frames[place].count <= queue.limits.wholeBytes else {
            return queue.addState(frames[place].offer, applied: applied, on: channel)
        }
        frames[place].add(to: &queue, applied: applied, on: channel)
    }
}

extension StateOffer {
    /// Appends the message of the offer as one frame. The message must fit into one frame.
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

    /// Returns the message of the offer.
    func message(applied: UInt64) -> (kind: MessageKind, body: [UInt8]) {
        switch content {
        case .snapshot(let state):
            (.state, StateMessage(revision: revision, applied: applied, state: state).encoded)
        case .patch(let base, let changes):
            (.patch, PatchMessage(base: base, revision: revision, applied: applied, changes: changes).encoded)
        }
    }
}

/// A whole frame that is sent to many peers. Each queue keeps a reference instead of a copy.
package final class SharedFrame: @unchecked Sendable {
    // Unchecked, because the bytes are written only in the initializer.

    /// The bytes of the frame. The buffer is valid as long as the object.
    package let bytes: UnsafeRawBufferPointer

    /// Creates a frame by copying bytes.
    package init(_ frame: some Collection<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.count, alignment: 1)
        memory.copyBytes(from: frame)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit {
        bytes.deallocate()
    }

    /// The size of the frame in bytes.
    package var count: Int { bytes.count }
}
