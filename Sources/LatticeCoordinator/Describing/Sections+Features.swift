import LatticeConcurrency
import LatticeCore
import LatticeHosting
import LatticeSession
import LatticeTransport
import LatticeWire

/// The sections about instances and clients.
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
            let instances = await eventLoop.gather(registry.hosts, size: \.figures.view.subscribers) { key, host in
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
                keys: ["feature", "instance"],
                texts: { [$0.key.feature, $0.key.instance, $0.figures.status.word] },
                ranks: [
                    "feature": .text { $0.key.feature },
                    "status": .text { $0.figures.status.word },
                    "revision": .number { Int(clamping: $0.figures.revision) },
                    "stateBytes": .number { $0.figures.stateBytes },
                    "acknowledged": .number { Int(clamping: $0.figures.acknowledged) },
                    "viewRevision": .number { Int(clamping: $0.figures.view.revision) },
                    "viewBytes": .number { $0.figures.view.bytes },
                    "waiting": .number { $0.figures.events.waiting },
                    "running": .number { $0.figures.events.running },
                    "p50Milliseconds": .number { $0.durations.map { Int($0.half) } },
                    "p99Milliseconds": .number { $0.durations.map { Int($0.most) } },
                    "subscribers": .number { $0.figures.view.subscribers },
                    "lag": .number { Int(clamping: $0.figures.view.lag) },
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
            "viewers": .init(figures.view.viewers),
            "acknowledged": .init(figures.acknowledged),
            "waiting": .init(figures.events.waiting),
            "running": .init(figures.events.running),
            "p50Milliseconds": .fraction(nanoseconds: instance.durations?.half),
            "p99Milliseconds": .fraction(nanoseconds: instance.durations?.most),
            "subscribers": .init(figures.view.subscribers),
            "lag": .init(figures.view.lag),
        ]
    }

    // MARK: Clients

    /// The maximum number of instances that the row of one client names.
    private static var maximumNamedInstances: Int { 64 }

    /// A client at one moment.
    private struct DescribedClient {
        let client: ClientSession
        let channels: [ClientSession.Channel]
        /// The number of view states by which each of the channels is behind.
        let lags: [UInt64]
        /// The number of bytes that its socket has not taken yet, or nil while it is away.
        let unwrittenBytes: Int?
        /// The number of its events that have not ended.
        let running: Int
        /// The time at which it connected, or nil while it is away.
        let since: ContinuousClock.Instant?
        let absentSince: ContinuousClock.Instant?

        var lag: Int { Int(clamping: lags.max() ?? 0) }
    }

    var clientsSection: DescribedSection {
        DescribedSection("clients", "The clients that are connected or may come back.") { [clients, eventLoop] in
            let clients = await eventLoop.gather(clients.all, size: \.channels.count) { client in
                let channels = client.channels
                return DescribedClient(
                    client: client,
                    channels: channels,
                    lags: channels.map { $0.server.lag ?? 0 },
                    unwrittenBytes: client.unwrittenBytes,
                    running: channels.reduce(0) { $0 + $1.server.runningCount },
                    since: client.newestConnection?.since,
                    absentSince: client.absentSince
                )
            }
            return DescribedList(
                subjects: clients,
                order: { Self.isEarlier($0.since, than: $1.since) },
                keys: ["client"],
                texts: { ["\($0.client.sender)", $0.client.process.map { "\($0)" } ?? ""] },
                ranks: [
                    "channels": .number { $0.channels.count },
                    "running": .number { $0.running },
                    "lag": .number { $0.lag },
                    "unwrittenBytes": .number { $0.unwrittenBytes },
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
        let lags = Dictionary(zip(channels.map(\.key), described.lags), uniquingKeysWith: max)
        let keys = lags.keys.sorted { ($0.feature, $0.instance) < ($1.feature, $1.instance) }
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
            "lag": .init(described.lag),
            "unwrittenBytes": .init(described.unwrittenBytes),
            "instances": .init(keys.count),
            "open": .array(
                keys.prefix(maximumNamedInstances).map {
                    ["feature": .text($0.feature), "instance": .text($0.instance), "lag": .init(lags[$0])]
                }
            ),
        ]
    }
}
