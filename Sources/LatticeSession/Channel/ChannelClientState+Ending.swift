import LatticeWire

extension ChannelClientState {
    /// Returns whether the peer may apply an event, or has applied it.
    ///
    /// An event is not out if it was never sent, or if it was sent to a worker that has ended without acknowledging it.
    /// The successor of that worker starts from a state without the event.
    func isOut(_ entry: EventWindow<Promise>.Entry) -> Bool {
        guard entry.action != nil else { return true }
        return entry.wasSent && (answerer != .starter || isOpen && entry.number <= heldAfter ?? entry.number)
    }
}
