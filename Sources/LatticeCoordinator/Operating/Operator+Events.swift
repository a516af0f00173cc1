import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeWire

/// Cancelling the events of clients.
extension Operator {
    /// How far an event of a client has come.
    private enum Progress: Int {
        /// No event with this number has arrived.
        case unknown
        case ended
        case running
        case waiting
    }

    func cancel(_ text: String, _ cancellation: WireCancellation) async -> OperationAnswer {
        guard let event = EventID(text) else {
            return OperationAnswer(
                .invalid,
                "\(text.debugDescription) is not the ID of an event. Use the field \"event\" of the section \"events\"."
            )
        }
        let channels = sections.clients.all.filter { $0.sender == event.origin.sender }
            .compactMap { $0.channel(event.channel) }
        var found = await sections.eventLoop.gather(channels) { channel in
            let progress = Self.cancel(event, cancellation, on: channel.server)
            guard progress == .unknown, event.number <= channel.server.received else { return progress }
            return .ended
        }
        // The event continues if its client has left.
        let hosts = sections.registry.hosts.filter { key, _ in
            key.feature == event.feature && key.instance == event.instance
        }
        let left = await sections.eventLoop.gather(hosts) { _, host in
            host.channelsLeftBehind.map { Self.cancel(event, cancellation, on: $0.server) }
        }
        found += left.joined()
        let rows: [[String: DescriptionValue]] = [["event": .text(text)]]
        switch found.max(by: { $0.rawValue < $1.rawValue }) ?? .unknown {
        case .waiting:
            return OperationAnswer(.done, "The event was cancelled before it was sent to a worker.", rows: rows)
        case .running:
            return OperationAnswer(
                .done,
                "The event is cancelled in its worker. Its sender gets the outcome, which says how far it had come.",
                rows: rows
            )
        case .ended:
            return OperationAnswer(.notPossible, "The event has ended before the cancellation came: \(text).")
        case .unknown:
            return OperationAnswer(
                .notFound,
                "No event of a client with this ID is waiting or running: \(text). Its client has left and the event has"
                    + " ended, or the coordinator's own program has sent it."
            )
        }
    }

    /// Cancels an event if it runs on a channel. Call it on the event loop.
    ///
    /// - Returns: How far the event had come.
    private static func cancel(
        _ event: EventID,
        _ cancellation: WireCancellation,
        on server: ChannelServer
    ) -> Progress {
        guard let found = server.runningEvent(event.number) as? ForwardedEvent, found.id == event else {
            return .unknown
        }
        let progress = found.isWaiting ? Progress.waiting : .running
        found.cancel(cancellation)
        return progress
    }
}

extension ForwardedEvent {
    /// The ID of the event.
    fileprivate var id: EventID { EventID(name, of: client.events.destination.channel.subject) }
}
