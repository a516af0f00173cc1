import LatticeCalls
import LatticeCoding
import LatticeConcurrency
import LatticeCore
import LatticeProcess
import LatticeSession
import LatticeTransport
import LatticeWire

/// The sections about the coordinator itself, the quarantine and the tools.
extension CoordinatorSections {
    var coordinatorSection: DescribedSection {
        DescribedSection("coordinator", "The process of the coordinator, its limits and its settings.") { [self] in
            DescribedList(
                subjects: [facts],
                keys: [],
                texts: { [$0.socketPath ?? ""] },
                ranks: [:],
                row: { [self] in row(of: $0) }
            )
        }
    }

    private func row(of facts: CoordinatorFacts) -> [String: DescriptionValue] {
        let process = ProcessIdentity.own
        let figures = ProcessFigures(of: process)
        let (places, instances) = (clients.places, registry.hosts.count)
        return [
            "coordinatorID": .init(facts.coordinatorID),
            "processID": .init(process),
            "userID": .init(Peer.Credentials.current.userID),
            "program": .init(ProcessFigures.program(of: process)),
            "build": .init(ProgramBuild.own?.hexadecimal),
            "protocolVersion": .init(WireVersion.current),
            "socket": .init(facts.socketPath),
            "uptimeMilliseconds": .age(facts.start),
            "cpuMilliseconds": .milliseconds(figures.cpuTime),
            "residentBytes": .init(figures.residentBytes),
            "openFiles": .init(figures.openFiles),
            "features": .array(registry.identifiers.map { .text($0) }),
            "workers": .init(facts.placement.supervisors.count),
            "instances": .init(instances),
            "actors": .init(clients.node.actorCount),
            "clients": .init(places.clients),
            "tools": .init(places.tools),
            "quarantined": .init(facts.quarantine.events.count),
            "limits": [
                Self.limit("clients", places.clients, places.maximumClients),
                Self.limit("tools", places.tools, places.maximumTools),
                Self.limit("instances", instances, configuration.maximumInstances),
                Self.limit("openFiles", figures.openFiles, facts.maximumOpenFiles),
                Self.limit("quarantined", facts.quarantine.events.count, Quarantine.maximumEvents),
            ],
            "configuration": configuration.described,
            "settings": .array((facts.settings?.shown ?? []).map(Self.row)),
        ]
    }

    private static func row(of setting: CoordinatorSettings.Shown) -> DescriptionValue {
        [
            "setting": .text(setting.name.key), "group": .init(setting.name.group), "value": .text(setting.value),
            "source": .text(setting.source),
        ]
    }

    private static func limit(_ name: String, _ used: Int?, _ maximum: Int?) -> DescriptionValue {
        ["limit": .text(name), "used": .init(used), "maximum": .init(maximum)]
    }

    var quarantineSection: DescribedSection {
        DescribedSection("quarantine", "The events that ended their worker repeatedly.") { [facts] in
            DescribedList(
                subjects: facts.quarantine.events,
                keys: ["id"],
                texts: { ["\($0.event)"] },
                ranks: ["actionBytes": .number { $0.action.count }],
                row: { event in
                    [
                        "id": .init(event.id),
                        "event": .text("\(event.event)"),
                        "feature": .text(event.event.feature),
                        "instance": .text(event.event.instance),
                        "incarnations": .array(event.incarnations.map { DescriptionValue($0) }),
                        "cause": .text("\(event.cause)"),
                        "actionBytes": .init(event.action.count),
                    ]
                }
            )
        }
    }

    var toolsSection: DescribedSection {
        DescribedSection("tools", "The tools that look into the coordinator, such as the one that asks.") { [clients] in
            DescribedList(
                subjects: clients.tools,
                order: { $0.since < $1.since },
                keys: ["processID"],
                texts: { [$0.processID.map { "\($0)" } ?? ""] },
                ranks: [:],
                row: { tool in
                    [
                        "processID": .init(tool.processID),
                        "userID": .init(tool.userID),
                        "program": .init(tool.processID.flatMap(ProcessFigures.program)),
                        "connectedMilliseconds": .age(tool.since),
                    ]
                }
            )
        }
    }
}

extension CoordinatorConfiguration {
    /// The settings that limit what the coordinator does, for people.
    fileprivate var described: DescriptionValue {
        [
            "openTimeoutMilliseconds": .milliseconds(openTimeout),
            "heartbeatIntervalMilliseconds": .milliseconds(heartbeatInterval),
            "heartbeatTimeoutMilliseconds": .milliseconds(heartbeatTimeout),
            "drainTimeoutMilliseconds": .milliseconds(drainTimeout),
            "teardownTimeoutMilliseconds": .milliseconds(teardownTimeout),
            "deadlineGraceMilliseconds": .milliseconds(deadlineGrace),
            "clientRetentionMilliseconds": .milliseconds(clientRetention),
            "maximumActionBytes": .init(maximumActionBytes),
            "maximumStateBytes": .init(maximumStateBytes),
            "maximumInstancesPerClient": .init(maximumInstancesPerClient),
            "maximumEventsPerClient": .init(maximumEventsPerClient),
            "sharesCrashReports": .bool(sharesCrashReports),
        ]
    }
}
