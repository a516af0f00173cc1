import LatticeConcurrency
package import LatticeWire

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

    /// The number of bytes that were added and are not in the socket yet.
    package var unwrittenBytes: Int { output.withLock { $0.queue.count } }

    /// What has become of a message that is only added if there is room for it.
    package enum Addition {
        case added
        /// The channel has to wait. Its `sessionDrained` is called as soon as there is room.
        case noRoom
        /// The session has ended, or the message has ended it.
        case closed
    }

    /// Adds a message of the data lane without writing it, if there is room for it. Call ``flushSoon()`` afterwards,
    /// outside any lock of your own.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - payload: The part of the message that may be large.
    ///   - channel: The channel.
    // LatticeCalls calls this for each call of an actor. Without the specializations, this module adds the messages
    // through their protocol.
    @_specialize(where Body == ActorCall)
    @_specialize(where Body == ActorReply)
    @_specialize(where Body == ActorElements)
    package func add<Body: WireMessageBody>(
        _ message: Body,
        around payload: [UInt8],
        on channel: UInt32
    ) -> Addition {
        var hasRoom = false
        let isAdded = change { output in
            hasRoom = output.hasRoom(for: channel)
            guard hasRoom else { return }
            if payload.count > WriteQueue.maximumInline {
                output.queue.addData(Body.kind, on: channel, body: SplitBody(of: message, around: payload))
            } else if payload.count > WriteQueue.maximumSmall {
                output.queue.addData(message, on: channel)
            } else {
                output.queue.addSmall(message, on: channel)
            }
        }
        guard isAdded else { return .closed }
        return hasRoom ? .added : .noRoom
    }

    /// Adds a message of the data lane on channel 0 without writing it, if there is room for it. Otherwise the
    /// handler's `sessionDrained` is called as soon as there is room. Call ``flushSoon()`` afterwards.
    package func addToSession(_ message: some WireMessageBody) -> Addition {
        var hasRoom = false
        let isAdded = change { output in
            hasRoom = output.hasRoom(for: 0)
            if hasRoom { output.queue.addData(message, on: 0) }
        }
        guard isAdded else { return .closed }
        return hasRoom ? .added : .noRoom
    }

    /// Adds an encoded message of the data lane without writing it, if there is room for it.
    ///
    /// - Returns: Whether there was room.
    package func add(_ kind: MessageKind, _ body: SplitBody, on channel: UInt32) -> Bool {
        var hasRoom = false
        change { output in
            hasRoom = output.hasRoom(for: channel)
            if hasRoom { output.queue.addData(kind, on: channel, body: body) }
        }
        return hasRoom
    }
}
