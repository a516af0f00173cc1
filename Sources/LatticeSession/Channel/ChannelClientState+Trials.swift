import LatticeWire

/// What a channel to a worker does while events are tried one at a time, since one of them may have ended the worker.
extension ChannelClientState {
    /// The events that are on their way in this session.
    package var inFlight: [UInt64] { isOpen ? window.unacknowledged(through: heldAfter ?? .max) : [] }

    /// From the next session on no event is sent but those that are tried.
    package mutating func hold() {
        heldAfter = window.acknowledged
    }

    /// Until the next session no event is sent any more.
    package mutating func pause() {
        if heldAfter == nil { heldAfter = isOpen ? window.nextNumber - 1 : window.acknowledged }
    }

    /// Whether all that was sent in this session has ended.
    package var isQuiet: Bool { inFlight.isEmpty && window.running.isEmpty }

    /// Sends one of those that wait.
    ///
    /// - Returns: It; nil: it is acknowledged or has ended, or the channel is not open.
    mutating func attempt(_ event: UInt64) -> EventWindow<Ticket>.Entry? {
        guard isOpen, let entry = window.takeUnacknowledged(event) else { return nil }
        heldAfter = event
        return entry
    }

    /// Whether an event is acknowledged, or has ended.
    func isSettled(_ event: UInt64) -> Bool { window.isSettled(event) }

    /// Events are sent as they come again.
    ///
    /// - Returns: Those that have waited and are to be sent now, oldest first.
    mutating func releaseHeld() -> [EventWindow<Ticket>.Entry] {
        guard heldAfter != nil else { return [] }
        heldAfter = nil
        return isOpen ? window.takeUnacknowledged() : []
    }

    /// Takes out an event that is not to be sent again.
    ///
    /// - Returns: What ends with it, and what it was; nil if it has ended already.
    mutating func takeOut(_ event: UInt64) -> EventWindow<Ticket>.Entry? {
        guard var entry = window.takeUnacknowledged(event), let ticket = window.complete(event) else { return nil }
        entry.ticket = ticket
        return entry
    }
}
