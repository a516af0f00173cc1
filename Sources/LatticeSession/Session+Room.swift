import LatticeConcurrency

/// The room in a session's output, and what has been written. You can call these methods on any thread.
extension Session {
    /// Returns whether a state of the channel would be sent now instead of waiting for an older one.
    ///
    /// If it returns `false`, the session calls `sessionDrained` of the channel as soon as a state would be sent.
    package func canPublish(on channel: UInt32) -> Bool {
        output.withLock { $0.hasRoom(for: channel) }
    }

    /// Returns whether all data of a channel that had been added before the first of these calls is in the socket.
    ///
    /// If it returns `false`, the session calls `sessionDrained` of the channel as soon as the data is in the socket.
    /// Calls in the meantime refer to the same data.
    package func hasWritten(on channel: UInt32) -> Bool {
        // After the final message everything is dropped and never reaches the socket.
        output.withLock { $0.phase == .accepting && $0.hasWritten(channel) }
    }

    /// Returns whether an event with this number of bytes can be added without exceeding the limit on waiting events.
    package func hasRoom(for bytes: Int) -> Bool {
        output.withLock { $0.queue.hasRoom(for: bytes) }
    }
}
