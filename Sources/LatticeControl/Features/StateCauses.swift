import LatticeWire

/// The events that a view state contains and the view state before it does not.
public struct StateCauses: Sendable, Equatable {
    /// An event that has changed a feature's state.
    public struct Event: Sendable, Equatable {
        /// The ID of the event, as logs, traces and the section `events` show it.
        public let id: String
        /// The place of the event among all events of its instance.
        public let order: UInt64
        /// What caused the event, such as "sent", "event tally/a0c4…/3/17" or "recovery 2".
        public let cause: String
    }

    /// The newest of the events, oldest first. It is empty if the state contains no new event: an effect has changed
    /// it, or a new worker.
    public let events: [Event]
    /// The number of events that are left out, as far as they are known.
    public let omitted: Int

    /// Joins what has arrived about successive states. Nil if nothing has.
    init?(_ messages: some Collection<CausesMessage>) {
        guard !messages.isEmpty else { return nil }
        let all = messages.flatMap(\.events).map { Event(id: $0.id, order: $0.order, cause: $0.cause) }
        events = all.suffix(MessageLimits.maximumCauses)
        let others = messages.reduce(UInt64(all.count - events.count)) { sum, message in
            let (total, isTooLarge) = sum.addingReportingOverflow(message.omitted)
            return isTooLarge ? .max : total
        }
        omitted = Int(clamping: others)
    }
}
