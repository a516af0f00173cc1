import LatticeWire

/// A state that goes out to many: its frame is put together once and then shared, as long as it is the same for all.
package struct StateFrame {
    package let state: [UInt8]
    /// The frame, or those that a large state is cut into.
    private var frames: [SharedFrame] = []
    private var channel: UInt32 = 0
    private var revision: UInt64 = 0
    private var applied: UInt64 = 0

    package init(_ state: [UInt8]) {
        self.state = state
    }

    /// Adds the state to an queue, under the numbers of one of those who get it.
    package mutating func add(to queue: inout WriteQueue, revision: UInt64, applied: UInt64, on channel: UInt32) {
        if frames.isEmpty || channel != self.channel || revision != self.revision || applied != self.applied {
            self.channel = channel
            self.revision = revision
            self.applied = applied
            frames = state.count <= WriteQueue.maximumInline ? [wholeFrame()] : cutFrames()
        }
        if frames.count == 1 {
            queue.addData(frames[0], on: channel)
        } else {
            queue.addCut(frames, on: channel)
        }
    }

    private func wholeFrame() -> SharedFrame {
        var bytes: [UInt8] = []
        StateMessage.appendFrame(to: &bytes, channel: channel, revision: revision, applied: applied, state: state)
        return SharedFrame(bytes)
    }

    private func cutFrames() -> [SharedFrame] {
        let body = StateMessage(revision: revision, applied: applied, state: state).encoded
        var message = LargeMessage(.state, on: channel, body: body)
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
