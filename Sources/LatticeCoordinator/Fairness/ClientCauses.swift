import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// Names the events that the view states of an instance contain, for a client: those of all clients, and those of the
/// coordinator's own program.
final class ClientCauses: CauseReader {
    private let destination: ClientEvents.Destination
    private let reader: AppliedEventReader

    init(of destination: ClientEvents.Destination) {
        self.destination = destination
        reader = destination.channel.recordAppliedEvents()
    }

    func causes(after first: UInt64, through last: UInt64, of revision: UInt64) -> CausesMessage? {
        guard let events = reader.events(after: first, through: last) else { return nil }
        let newest = events.suffix(MessageLimits.maximumCauses)
        return CausesMessage(
            revision: revision,
            events: newest.map { event in
                CausesMessage.Event(id: "\(id(of: event))", order: event.number, cause: "\(event.cause.eventCause)")
            },
            omitted: UInt64(events.count - newest.count)
        )
    }

    private func id(of event: AppliedEvents.Event) -> EventID {
        let subject = destination.channel.subject
        guard let name = event.name else {
            let origin = EventOrigin(
                sender: destination.programSender,
                channel: destination.channel.number,
                feature: subject.feature,
                instance: subject.instance
            )
            return EventID(origin: origin, number: event.number)
        }
        return EventID(name, of: subject)
    }
}
