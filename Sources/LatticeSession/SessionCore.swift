import LatticeWire

/// What a session keeps under its lock.
struct SessionCore {
    /// Data that somebody waits for to be in the socket.
    enum Awaited {
        /// Some of it has no place in the batch yet.
        case waiting
        /// It ends behind so many bytes, counted from the beginning.
        case ending(UInt64)
        /// It is in the socket, and its owner was told to ask.
        case written
    }

    var queue: WriteQueue
    var heartbeat: Heartbeat?
    /// Where the last sign of life ends, in bytes written since the beginning.
    private var signEnd: UInt64 = 0
    /// Channels whose newest state is to be asked for once it need not wait any more.
    var wantingRoom: Set<UInt32> = []
    /// Channels whose data is awaited in the socket.
    var awaited: [UInt32: Awaited] = [:]
    /// Whether another thread has left the next flush to the reactor.
    var isHandedOver = false
    var isOpen = false
    /// No frame is added any more; the connection is closed when the queue is empty.
    var isEnding = false
    var isClosed = false

    init(queue: WriteQueue) {
        self.queue = queue
    }

    /// Adds a pong that nobody asked for, unless the one before it still waits.
    ///
    /// - Returns: Whether to write.
    mutating func addSignOfLife() -> Bool {
        guard isOpen, !isEnding, !isClosed else { return false }
        if queue.hasWritten(signEnd) {
            queue.addControl(Pong(number: Pong.unasked))
            signEnd = queue.controlEnd
        }
        // Nobody is told of room meanwhile, so it has to be tried.
        _ = queue.connectionIsWritable()
        return true
    }

    /// Whether somebody who waits for room has it now, or is written. Those that still have to wait ask again.
    mutating func takeDrained() -> Bool {
        guard !awaited.isEmpty || !wantingRoom.isEmpty else { return false }
        var isDrained = wantingRoom.contains { !queue.isBacklogged($0) }
        if isDrained { wantingRoom = [] }
        for channel in awaited.keys where look(at: channel) { isDrained = true }
        return isDrained
    }

    /// Whether all data of a channel that had been added when this was first asked is in the socket.
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

    /// - Returns: Whether the data has come into the socket since the last look.
    private mutating func look(at channel: UInt32) -> Bool {
        if case .waiting? = awaited[channel], let end = queue.end(of: channel) { awaited[channel] = .ending(end) }
        guard case .ending(let end)? = awaited[channel], queue.hasWritten(end) else { return false }
        awaited[channel] = .written
        return true
    }
}
