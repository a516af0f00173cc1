import LatticeWire

extension ChannelClientState {
    /// The number of events that are not acknowledged.
    package var unacknowledged: Int { window.unacknowledged }
    /// The size in bytes of the actions of those events.
    package var unacknowledgedBytes: Int { window.unacknowledgedBytes }

    /// Returns whether the peer may apply an event, or has applied it.
    ///
    /// An event is not out if it was never sent, or if it was sent to a worker that has ended without acknowledging it.
    /// The successor of that worker starts from a state without the event.
    func isOut(_ entry: EventWindow<Promise>.Entry) -> Bool {
        guard entry.action != nil else { return true }
        return entry.wasSent && (answerer != .starter || isOpen && entry.number <= heldAfter ?? entry.number)
    }

    /// Ends an event that the peer has not ended in time, and returns its promise. Nil if the event has ended.
    ///
    /// The event is not sent again, and a later outcome of it is dropped.
    package mutating func endOverdue(_ event: UInt64) -> Promise? {
        let before = window.unacknowledgedBytes
        defer { overdueBytes += before - window.unacknowledgedBytes }
        return window.complete(event)
    }

    /// The size in bytes of the actions that may wait in the session until the peer reads them.
    var unreadBytes: Int { window.unacknowledgedBytes + overdueBytes }

    /// Records that a state has arrived, with the events that it contains and that are not acknowledged.
    mutating func noteState(through last: UInt64) {
        overdueBytes = 0
        guard applied != nil else { return }
        let applying = window.applying(through: last, atMost: UInt64(AppliedEvents.maximumCount))
        applied?.add(applying.map { AppliedEvents.Event(number: $0.number, name: $0.name, cause: $0.metadata.cause) })
    }
}
