import LatticeWire

/// Isolated retry on a channel to a worker: events are sent one at a time, because one of them may have terminated the
/// worker.
extension ChannelClientState {
    /// The events that are in flight in this session.
    package var inFlight: [UInt64] { isOpen ? window.unacknowledged(through: heldAfter ?? .max) : [] }

    /// Holds back all events from the next session on. Only `attempt(_:)` sends an event then.
    package mutating func hold() {
        heldAfter = window.acknowledged
    }

    /// Holds back all further events until the next session.
    package mutating func pause() {
        if heldAfter == nil { heldAfter = isOpen ? window.nextNumber - 1 : window.acknowledged }
    }

    /// A Boolean value that indicates whether everything that was sent in this session has ended.
    package var isQuiet: Bool { inFlight.isEmpty && window.running.isEmpty }

    /// Sends one of the waiting events.
    ///
    /// - Returns: The entry to send. Nil if the event is acknowledged or has ended, or if the channel is not open.
    mutating func attempt(_ event: UInt64) -> EventWindow<Promise>.Entry? {
        guard isOpen, let entry = window.takeUnacknowledged(event) else { return nil }
        heldAfter = event
        return entry
    }

    /// Returns whether an event is acknowledged or has ended.
    func isSettled(_ event: UInt64) -> Bool { window.isSettled(event) }

    /// Ends the holding of events.
    ///
    /// - Returns: The entries that have waited and must be sent now, oldest first.
    mutating func releaseHeld() -> [EventWindow<Promise>.Entry] {
        guard heldAfter != nil else { return [] }
        heldAfter = nil
        return isOpen ? window.takeUnacknowledged() : []
    }

    /// Removes an event that must not be sent again.
    ///
    /// - Returns: The entry with its promise, or nil if the event has already ended.
    mutating func takeOut(_ event: UInt64) -> EventWindow<Promise>.Entry? {
        guard var entry = window.takeUnacknowledged(event), let promise = window.complete(event) else { return nil }
        entry.promise = promise
        return entry
    }
}
