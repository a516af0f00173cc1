import LatticeCalls
import LatticeCoding
import LatticeSession
import LatticeWire

/// The sections about actors and their calls. Calls between processes go through the coordinator, which counts them and
/// does not keep their methods.
extension CoordinatorSections {
    var actorsSection: DescribedSection {
        DescribedSection("actors", "The actors that processes have published under names.") { [node = clients.node] in
            DescribedList(
                subjects: node.namedActors,
                order: { ($0.name, $0.process.title) < ($1.name, $1.process.title) },
                keys: ["name", "node"],
                texts: { [$0.name, $0.process.title] },
                ranks: ["name": .text { $0.name }, "process": .text { $0.process.title }],
                row: { actor in
                    Self.row(
                        of: actor.process,
                        ["name": .text(actor.name), "actor": .init(actor.number), "found": .bool(actor.isFound)]
                    )
                }
            )
        }
    }

    var callsSection: DescribedSection {
        DescribedSection("calls", "The calls of actors that have not ended, one row for each process.") {
            [node = clients.node] in
            DescribedList(
                subjects: node.processCalls,
                order: { ($0.process.title, $0.process.node.value) < ($1.process.title, $1.process.node.value) },
                keys: ["node"],
                texts: { [$0.process.title] },
                ranks: [
                    "process": .text { $0.process.title },
                    "received": .number { $0.received },
                    "made": .number { $0.made },
                    "unansweredMilliseconds": .number { Int($0.oldest.milliseconds) },
                ],
                row: { calls in
                    Self.row(
                        of: calls.process,
                        [
                            "received": .init(calls.received), "made": .init(calls.made),
                            "unansweredMilliseconds": .milliseconds(calls.oldest),
                        ]
                    )
                }
            )
        }
    }

    /// Returns a row about something in a process.
    private static func row(
        of process: ActorNode.Process,
        _ others: [String: DescriptionValue]
    ) -> [String: DescriptionValue] {
        let row: [String: DescriptionValue] = [
            "node": .text(process.node.bytes.hexadecimal),
            "process": .text(process.title),
            "processID": .init(process.processID),
            "incarnation": .init(process.incarnation),
        ]
        return row.merging(others) { _, other in other }
    }
}
