import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The sections about instances, their events, and clients.
extension CoordinatorSections {
    /// An instance with its figures at one moment.
    private struct DescribedInstance {
        let key: FeatureRegistry.Key
        let figures: InstanceFigures
        let durations: (half: Int64, most: Int64)?
        let schema: Int?
    }

    var instancesSection: DescribedSection {
        DescribedSection("instances", "The instances of features.") { [registry, eventLoop] in
            let instances = await eventLoop.gather(registry.hosts) { key, host in
                DescribedInstance(
                    key: key,
                    figures: host.figures,
                    durations: host.durations,
                    schema: registry.features[key.feature]?.schema
                )
            }
            return DescribedList(
                subjects: instances,
                order: { ($0.key.feature, $0.key.instance) < ($1.key.feature, $1.key.instance) },
                texts: { [$0.key.feature, $0.key.instance, $0.figures.status.word] },
                ranks: [
                    "feature": .text { $0.key.feature },
                    "status": .text { $0.figures.status.word },
                    "revision": .number { Int(clamping: $0.figures.revision) },
                    "stateBytes": .number { $0.figures.stateBytes },
                    "acknowledged": .number { Int(clamping: $0.figures.acknowledged) },
                    "viewBytes": .number { $0.figures.view.bytes },
                    "waiting": .number { $0.figures.events.waiting },
                    "running": .number { $0.figures.events.running },
                    "p50Milliseconds": .number { $0.durations.map { Int($0.half) } },
                    "p99Milliseconds": .number { $0.durations.map { Int($0.most) } },
                    "subscribers": .number { $0.figures.view.subscribers },
                ],
                row: { Self.row(of: $0) }
            )
        }
    }

    private static func row(of instance: DescribedInstance) -> [String: DescriptionValue] {
        let figures = instance.figures
        return [
            "feature": .text(instance.key.feature),
            "instance": .text(instance.key.instance),
            "schema": .init(instance.schema),
            "status": .text(figures.status.word),
            "reason": .init(figures.status.reason),
            "worker": .text(figures.member.title),
            "revision": .init(figures.revision),
            "stateBytes": .init(figures.stateBytes),
            "viewRevision": .init(figures.view.revision),
            "viewBytes": .init(figures.view.bytes),
            "acknowledged": .init(figures.acknowledged),
            "waiting": .init(figures.events.waiting),
            "running": .init(figures.events.running),
            "p50Milliseconds": .fraction(nanoseconds: instance.durations?.half),
            "p99Milliseconds": .fraction(nanoseconds: instance.durations?.most),
            "subscribers": .init(figures.view.subscribers),
        ]
    }

    // MARK: Events

    /// An event of a client that has not ended.
    private struct DescribedEvent {
        let event: ForwardedEvent
        /// A Boolean value that indicates whether the event waits to be sent to the worker.
        let isWaiting: Bool
        /// The place of the event among all events of its instance, or nil while it waits.
        let order: UInt64?
        let subject: ChannelClient.Subject
        /// The process of the client, or nil if the client has left.
        let processID: Int32?
        let key: FeatureRegistry.Key
        /// The time at which the event arrived, in nanoseconds.
        let arrival: Int64

        var sender: String { "\(event.client.membership.client)" }
    }

    var eventsSection: DescribedSection {
        DescribedSection("events", "The events of clients that have not ended, oldest first.") { [self] in
            let channels = clients.all.flatMap { client in client.channels.map { (client: client, channel: $0) } }
            let events = await eventLoop.gather(channels) { Self.openEvents(of: $0.client, $0.channel) }
            // An event continues after its client has left.
            let left = await eventLoop.gather(registry.hosts) { key, host in
                host.eventsLeftBehind.map { Self.described($0, of: key, from: nil) }
            }
            // A client can leave between the two.
            var known: Set<ObjectIdentifier> = []
            let subjects = (events + left).flatMap(\.self).filter { known.insert(ObjectIdentifier($0.event)).inserted }
            return DescribedList(
                subjects: subjects,
                order: { $0.arrival < $1.arrival },
                texts: { [$0.key.feature, $0.key.instance, $0.sender] },
                ranks: ["feature": .text { $0.key.feature }, "actionBytes": .number { $0.event.bytes }],
                row: { Self.row(of: $0) }
            )
        }
    }

    private static func openEvents(of client: ClientSession, _ channel: ClientSession.Channel) -> [DescribedEvent] {
        channel.server.runningEvents.compactMap { event in
            // Another event has ended, and its end is not published yet.
            guard let event = event as? ForwardedEvent else { return nil }
            return described(event, of: channel.key, from: client.process)
        }
    }

    private static func described(
        _ event: ForwardedEvent,
        of key: FeatureRegistry.Key,
        from process: Int32?
    ) -> DescribedEvent {
        DescribedEvent(
            event: event,
            isWaiting: event.isWaiting,
            order: event.order,
            subject: event.client.events.destination.channel.subject,
            processID: process,
            key: key,
            arrival: event.arrival
        )
    }

    private static func row(of described: DescribedEvent) -> [String: DescriptionValue] {
        let (event, key) = (described.event, described.key)
        let age = Duration.nanoseconds(max(0, MonotonicTime.withSleep - described.arrival))
        return [
            "feature": .text(key.feature),
            "instance": .text(key.instance),
            "client": .text(described.sender),
            "processID": .init(described.processID),
            "event": .text("\(EventID(event.name, of: described.subject))"),
            "phase": .text(described.isWaiting ? "waiting" : "running"),
            "order": .init(described.order.map(Int.init)),
            "cause": .text("\(event.cause.eventCause)"),
            "ageMilliseconds": .milliseconds(age),
            "deadlineMilliseconds": .milliseconds(event.deadline.left),
            "actionBytes": .init(event.bytes),
        ]
    }

    // MARK: Clients

    /// The maximum number of instances that the row of one client names.
    private static var maximumNamedInstances: Int { 64 }

    /// A client at one moment.
    private struct DescribedClient {
        let client: ClientSession
        let channels: [ClientSession.Channel]
        /// The number of its events that have not ended.
        let running: Int
        /// The time at which it connected, or nil while it is away.
        let since: ContinuousClock.Instant?
        let absentSince: ContinuousClock.Instant?
    }

    var clientsSection: DescribedSection {
        DescribedSection("clients", "The clients that are connected or may come back.") { [clients, eventLoop] in
            let clients = await eventLoop.gather(clients.all) { client in
                let channels = client.channels
                return DescribedClient(
                    client: client,
                    channels: channels,
                    running: channels.reduce(0) { $0 + $1.server.runningCount },
                    since: client.newestConnection?.since,
                    absentSince: client.absentSince
                )
            }
            return DescribedList(
                subjects: clients,
                order: { Self.isEarlier($0.since, than: $1.since) },
                texts: { ["\($0.client.sender)", $0.client.process.map { "\($0)" } ?? ""] },
                ranks: [
                    "channels": .number { $0.channels.count },
                    "running": .number { $0.running },
                ],
                row: { Self.row(of: $0) }
            )
        }
    }

    /// Returns whether a client connected before another one. Clients that are away come last.
    private static func isEarlier(_ first: ContinuousClock.Instant?, than second: ContinuousClock.Instant?) -> Bool {
        guard let second else { return first != nil }
        return first.map { $0 < second } ?? false
    }

    private static func row(of described: DescribedClient) -> [String: DescriptionValue] {
        let (client, channels, since) = (described.client, described.channels, described.since)
        let keys = Set(channels.map(\.key)).sorted { ($0.feature, $0.instance) < ($1.feature, $1.instance) }
        let facts = client.described
        return [
            "client": .text(facts.sender),
            "state": .text(since == nil ? "away" : "connected"),
            "processID": .init(facts.processID),
            "userID": .init(facts.userID),
            "program": .init(facts.program),
            "connectedMilliseconds": .age(since),
            "awayMilliseconds": .age(described.absentSince),
            "channels": .init(channels.count),
            "running": .init(described.running),
            "instances": .init(keys.count),
            "open": .array(
                keys.prefix(maximumNamedInstances).map {
                    ["feature": .text($0.feature), "instance": .text($0.instance)]
                }
            ),
        ]
    }
}
