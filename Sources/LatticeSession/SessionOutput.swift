import LatticeWire

/// What the threads share that write to a session.
struct SessionOutput {
    /// Data that somebody waits for to be in the socket.
    private enum Awaited {
        /// Some of it has no place in the batch yet.
        case waiting
        /// It ends behind so many bytes, counted from the beginning.
        case ending(UInt64)
        /// It is in the socket, and its owner was told to ask.
        case written
    }

    enum Phase {
        case accepting
        /// The session is to end: no frame is added any more but its last word.
        case ending
        /// The last word is in the queue: the connection is closed when that is empty.
        case ended
    }

    var queue: WriteQueue
    var phase = Phase.accepting
    /// Whether another thread has left the next flush to the event loop.
    var isFlushDeferred = false
    /// Whether the connection is to be closed when the thread that writes has written what there is room for.
    private(set) var closesBehindWrite = false
    /// Where the last sign of life ends, in bytes written since the beginning.
    private var signEnd: UInt64 = 0
    /// Channels whose newest state is to be asked for once it need not wait any more.
    private var wantingRoom: Set<UInt32> = []
    /// Channels whose data is awaited in the socket.
    private var awaited: [UInt32: Awaited] = [:]

    init(queue: WriteQueue) {
        self.queue = queue
    }

    /// The connection is gone, and nothing waits any more.
    mutating func close() {
        self = SessionOutput(queue: WriteQueue())
        phase = .ended
    }

    /// The session ends because of a fault, and its last word was added.
    ///
    /// - Returns: Whether the connection is to be closed now; false while another thread writes, which closes it.
    mutating func closesNow(_ error: SessionError) -> Bool {
        closesBehindWrite = queue.isBeingWritten && error.code != .transport
        return !closesBehindWrite
    }

    /// Whether the connection is to be closed, now that a write has ended.
    ///
    /// - Parameter goesOn: Whether there is more to write, and room for it.
    func isDone(goesOn: Bool) -> Bool { phase == .ended && (queue.isEmpty || (closesBehindWrite && !goesOn)) }

    /// Adds a pong that nobody asked for, unless the one before it still waits.
    mutating func addSignOfLife() {
        if queue.hasWritten(signEnd) {
            queue.addControl(Pong(number: Pong.unasked))
            signEnd = queue.controlEnd
        }
        // Nobody is told of room meanwhile, so it has to be tried.
        _ = queue.connectionIsWritable()
    }

    /// Whether a state of the channel would go out rather than wait behind an older one. If not, the channel is among
    /// those that `takeDrained` gives once it would.
    mutating func hasRoom(for channel: UInt32) -> Bool {
        guard queue.isBacklogged(channel) else { return true }
        wantingRoom.insert(channel)
        return false
    }

    /// Whether all data of a channel that had been added when this was first asked is in the socket. If not, the
    /// question is open until `takeDrained` has given the channel.
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

    /// The channels that wait for room and have it now, or whose data is written. Those that still have to wait ask
    /// again.
    mutating func takeDrained() -> [UInt32] {
        guard !awaited.isEmpty || !wantingRoom.isEmpty else { return [] }
        var drained = wantingRoom.filter { !queue.isBacklogged($0) }
        wantingRoom.subtract(drained)
        for channel in awaited.keys where look(at: channel) { drained.insert(channel) }
        return Array(drained)
    }

    /// Nobody asks for the channel any more.
    mutating func forget(_ channel: UInt32) {
        wantingRoom.remove(channel)
        awaited[channel] = nil
    }

    /// - Returns: Whether the data has come into the socket since the last look.
    private mutating func look(at channel: UInt32) -> Bool {
        if case .waiting? = awaited[channel], let end = queue.end(of: channel) { awaited[channel] = .ending(end) }
        guard case .ending(let end)? = awaited[channel], queue.hasWritten(end) else { return false }
        awaited[channel] = .written
        return true
    }
}
