import LatticeWire

/// A state that goes out to many: its frame is put together once and then copied, as long as it is the same for all.
package struct StateFrame {
    package let state: [UInt8]
    private var frame: [UInt8] = []
    private var channel: UInt32 = 0
    private var revision: UInt64 = 0
    private var applied: UInt64 = 0

    package init(_ state: [UInt8]) {
        self.state = state
    }

    /// Adds the state to an outbox, under the numbers of one of those who get it.
    package mutating func add(to outbox: inout Outbox, revision: UInt64, applied: UInt64, on channel: UInt32) {
        guard state.count <= Outbox.maximumInline else {
            return outbox.addState(state, revision: revision, applied: applied, on: channel)
        }
        if frame.isEmpty || channel != self.channel || revision != self.revision || applied != self.applied {
            self.channel = channel
            self.revision = revision
            self.applied = applied
            frame.removeAll(keepingCapacity: true)
            StateMessage.appendFrame(to: &frame, channel: channel, revision: revision, applied: applied, state: state)
        }
        outbox.addData(on: channel) { $0.append(contentsOf: frame) }
    }
}
