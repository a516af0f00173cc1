import LatticeWire

/// The state that the threads that write to a session share. A lock protects it.
struct SessionOutput {
    /// The progress of data whose owner waits until it is in the socket.
    private enum Awaited {
        /// Some of the data has no place in a batch yet.
        case waiting
        /// The data ends at this position in the stream of bytes, counted from the beginning of the session.
        case ending(UInt64)
        /// The data is in the socket, and its owner was notified to ask again.
        case written
    }

    enum Phase {
        case accepting
        /// The session is about to end. Only its final message can still be added.
        case ending
        /// The final message is in the queue. The connection is closed when the queue is empty.
        case ended
    }

    var queue: WriteQueue
    var phase = Phase.accepting
    /// Whether another thread has left the next flush to the event loop.
    var isFlushDeferred = false
    /// Whether the thread that is writing must close the connection after it has written as much as the socket accepts.
    private(set) var closesAfterWrite = false
    /// The position at which the last sign of life ends, in bytes since the beginning of the session.
    private var signEnd: UInt64 = 0
    /// The channels that must be notified when their newest state would no longer wait.
    private var wantingRoom: Set<UInt32> = []
    /// The channels whose owners wait until data is in the socket.
    private var awaited: [UInt32: Awaited] = [:]

    init(queue: WriteQueue) {
        self.queue = queue
    }

    /// Discards everything after the connection was closed.
    mutating func close() {
        self = SessionOutput(queue: WriteQueue())
        phase = .ended
    }

    /// Decides who closes the connection after an error, when the final message has been added.
    ///
    /// - Returns: Whether the caller must close the connection now. It is `false` while another thread is writing,
    ///   because that thread closes the connection.
    mutating func closesNow(_ error: SessionError) -> Bool {
        closesAfterWrite = queue.isBeingWritten && error.code != .transport
        return !closesAfterWrite
    }

    /// Returns whether the connection must be closed after a write.
    ///
    /// - Parameter goesOn: Whether there is more to write, and the socket has room for it.
    func isDone(goesOn: Bool) -> Bool { phase == .ended && (queue.isEmpty || (closesAfterWrite && !goesOn)) }

    /// Adds an unsolicited pong, unless the previous one has not been written yet.
    mutating func addSignOfLife() {
        if queue.hasWritten(signEnd) {
            queue.addControl(Pong(number: Pong.unasked))
            signEnd = queue.controlEnd
        }
        // While the thread is busy, the event loop does not report that the socket is writable. The queue has to try.
        _ = queue.connectionIsWritable()
    }

    /// Returns whether a state of the channel would be sent now instead of waiting for an older one. If not,
    /// `takeDrained` returns the channel as soon as it would.
    mutating func hasRoom(for channel: UInt32) -> Bool {
        guard queue.isBacklogged(channel) else { return true }
        wantingRoom.insert(channel)
        return false
    }

    /// Returns whether all data of a channel that had been added before the first of these calls is in the socket. If
    /// not, later calls refer to the same data until `takeDrained` has returned the channel.
    mutating func hasWritten(_ channel: UInt32) -> Bool {
        if awaited[channel] == nil {
            guard !queue.isEmpty else { return true }
            awaited[channel] = .waiting
        }
        _ = look(at: channel)
        guard case .written? = awaited[channel] else { return false }
        awaited[channel] = nil
        return true
    }

    /// Returns the channels that waited for room and have it now, and those whose awaited data has been written. A
    /// channel that must still wait has to ask again.
    mutating func takeDrained() -> [UInt32] {
        guard !awaited.isEmpty || !wantingRoom.isEmpty else { return [] }
        var drained = wantingRoom.filter { !queue.isBacklogged($0) }
        wantingRoom.subtract(drained)
        for channel in awaited.keys where look(at: channel) { drained.insert(channel) }
        return Array(drained)
    }

    /// Removes a channel that no longer waits for anything.
    mutating func forget(_ channel: UInt32) {
        wantingRoom.remove(channel)
        awaited[channel] = nil
    }

    /// Updates the progress of the data of a channel.
    ///
    /// - Returns: Whether the data has reached the socket since the last update.
    private mutating func look(at channel: UInt32) -> Bool {
        if case .waiting? = awaited[channel], let end = queue.end(of: channel) { awaited[channel] = .ending(end) }
        guard case .ending(let end)? = awaited[channel], queue.hasWritten(end) else { return false }
        awaited[channel] = .written
        return true
    }
}
