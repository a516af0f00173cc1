import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The section about the events that have not ended. There can be a hundred thousand of them, so the event loop looks
/// only for those that a request can show.
extension CoordinatorSections {
    var eventsSection: DescribedSection {
        DescribedSection(
            "events",
            "The events of clients that have not ended, oldest first.",
            for: { [self] request in
                let first = await firstEvents(for: request)
                return DescribedList(
                    subjects: first.events,
                    further: first.total - first.events.count,
                    order: { $0.event.arrival < $1.event.arrival },
                    keys: ["event"],
                    texts: { Self.texts(of: $0.source) },
                    ranks: ["feature": .text { $0.source.key.feature }, "actionBytes": .number { $0.event.bytes }],
                    prepare: { [eventLoop] events in
                        await eventLoop.gather(events) {
                            DescribedEvent(event: $0.event, source: $0.source, facts: DescribedEvent.Facts($0.event))
                        }
                    },
                    row: { Self.row(of: $0) }
                )
            }
        )
    }

    /// The texts of an event that a filter looks at. They are those of all events of its channel.
    private static func texts(of source: DescribedEvent.Source) -> [String] {
        [source.key.feature, source.key.instance, "\(source.client)"]
    }

    private func firstEvents(for request: DescribeMessage?) async -> FirstEvents {
        let connected = clients.all.flatMap { client in
            client.channels.map { channel in
                (server: channel.server, source: DescribedEvent.Source(channel.key, client.sender, client.process))
            }
        }
        // Events continue after their client has left.
        let left = await eventLoop.gather(registry.hosts, size: \.count) { key, host in
            host.channelsLeftBehind.map { client, server in
                (server: server, source: DescribedEvent.Source(key, client, nil))
            }
        }
        // A client can leave between the two.
        let known = Set(connected.map { ObjectIdentifier($0.server) })
        var channels = connected + left.joined().filter { !known.contains(ObjectIdentifier($0.server)) }
        if let filter = request?.filter {
            channels.removeAll { channel in !Self.texts(of: channel.source).contains { $0.contains(filter) } }
        }
        let first = Locked(FirstEvents(request))
        _ = await eventLoop.gather(channels, size: { $0 }) { server, source in
            first.withLock { $0.add(server, of: source) }
            return server.runningCount
        }
        return first.withLock(\.self)
    }

    private static func row(of described: DescribedEvent) -> [String: DescriptionValue] {
        let (event, key, facts) = (described.event, described.source.key, described.facts)
        let age = Duration.nanoseconds(max(0, MonotonicTime.withSleep - event.arrival))
        return [
            "feature": .text(key.feature),
            "instance": .text(key.instance),
            "client": .text("\(described.source.client)"),
            "processID": .init(described.source.processID),
            "event": .init(facts.map { "\(EventID(event.name, of: $0.subject))" }),
            "phase": .init(facts.map { $0.isWaiting ? "waiting" : "running" }),
            "order": .init(facts?.order),
            "cause": .text("\(event.cause.eventCause)"),
            "ageMilliseconds": .milliseconds(age),
            "deadlineMilliseconds": .milliseconds(event.deadline.left),
            "actionBytes": .init(event.bytes),
        ]
    }
}
