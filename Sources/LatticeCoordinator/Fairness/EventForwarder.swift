import LatticeSession

/// The host of one channel of a client. It forwards the events of the channel to the instance's worker.
///
/// Each event retains it several times, so there is no weak reference to it. Weak references refer to ``membership``
/// instead, because retaining an object to which there is a weak reference takes several times as long.
final class EventForwarder: ChannelHost {
    let membership: ClientMembership
    /// The client, as it opened the channel.
    let client: OpeningClient
    let events: ClientEvents
    /// The client's slot in the shares.
    let slot: EventShares<ForwardedEvent>.Slot

    init(for membership: ClientMembership, _ client: OpeningClient) {
        self.client = client
        self.membership = membership
        events = membership.events
        slot = membership.slot
    }

    func makeCauseReader() -> (any CauseReader)? {
        client.receivesCauses ? ClientCauses(of: events.destination) : nil
    }

    func start(_ event: borrowing IncomingEvent, for server: ChannelServer) -> EventStart {
        guard let rejection = client.rejection else { return events.start(event, of: self, on: server) }
        events.reject(event, because: rejection, on: server)
        return .completed
    }
}
