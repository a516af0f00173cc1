import LatticeConcurrency

/// What may be added to a session, and what has gone. Any thread.
extension Session {
    /// Whether a state of the channel would go out rather than wait behind an older one. If not, `sessionDrained` of
    /// the channel follows once it would.
    package func canPublish(on channel: UInt32) -> Bool {
        output.withLock { $0.hasRoom(for: channel) }
    }

    /// Whether all data of a channel that had been added when this was first asked is in the socket. If not,
    /// `sessionDrained` of the channel follows once it is, and the question is open until then.
    package func hasWritten(on channel: UInt32) -> Bool {
        // What comes behind the last word is dropped, and is not in the socket.
        output.withLock { $0.phase == .accepting && $0.hasWritten(channel) }
    }

    /// Whether an event of so many bytes may be added without going over what may wait.
    package func hasRoom(for bytes: Int) -> Bool {
        output.withLock { $0.queue.hasRoom(for: bytes) }
    }
}
