import LatticeCore
package import LatticeFaults

/// The plan of a round. The same seed makes the same plan.
struct ChaosPlan: FaultedPlan, Sendable {
    /// The parts of the participants in the order of their numbers: the coordinator's, those of clients in this
    /// process, and those of clients in other processes.
    let parts: [ChaosParticipant.Part]
    /// The faults between the coordinator and its workers.
    var workers: FaultPlan
    /// The faults between the coordinator and its clients.
    var clients: FaultPlan
    /// The number of standby workers. It is 0, or one for each group with every second seed.
    let standbys: Int
    /// The speed of the machine.
    let pace: ChaosPace

    /// The number of clients in the coordinator's process.
    static let nearClients = 2
    /// The number of clients in their own processes. The last of them is killed.
    static let farClients = 2
    private static let participants = 1 + nearClients + farClients
    /// A number of bytes that is higher than what a client exchanges until it has opened all logs. A connection that
    /// breaks before that is an error for a client that connects for the first time.
    private static let openingBytes: UInt64 = 4096

    init(seed: UInt64, _ extent: ChaosExtent, pace: ChaosPace = .quiet) {
        self.pace = pace
        var generator = SeededGenerator(seed: seed)
        // The number of connections that are likely to begin, and the number of bytes that each is likely to have.
        let connections = max(2, extent.faults / 3)
        let bytes = UInt64(max(1000, extent.events * 100 / connections))
        let workers = FaultPlan(
            seed: generator.next(),
            .init(faults: extent.faults, connections: connections, bytes: bytes, kinds: extent.kinds)
        )
        self.workers = workers
        clients = Self.clients(seed: generator.next(), extent)
        let patience = pace.patience(with: workers)
        let events = max(1, extent.events / Self.participants)
        var parts: [ChaosParticipant.Part] = []
        for participant in 0..<Self.participants {
            parts.append(
                .init(participant: participant, seed: generator.next(), events: events, patience: patience)
            )
        }
        parts[parts.count - 1].lifetime = Int.random(in: 0..<events, using: &generator)
        self.parts = parts
        standbys = seed.isMultiple(of: 2) ? 2 : 0
    }

    /// The maximum time without progress for all events to end.
    var patience: Duration { parts[0].patience }

    /// Returns the faults of the connections of clients. None of them breaks a connection before its client has opened
    /// the logs.
    static func clients(seed: UInt64, _ extent: ChaosExtent) -> FaultPlan {
        let kinds = extent.kinds.filter(FaultPlan.Scope.Kind.ofConnections.contains)
        guard !kinds.isEmpty else { return FaultPlan([]) }
        let scope = FaultPlan.Scope(
            faults: extent.faults,
            connections: 3 * (nearClients + farClients),
            // This covers what a client sends, and a part of what it receives.
            bytes: UInt64(max(1000, 20 * extent.events)),
            kinds: kinds
        )
        return FaultPlan(FaultPlan(seed: seed, scope).faults.map(afterOpening))
    }

    private static func afterOpening(_ fault: Fault) -> Fault {
        guard case .connection(let cut) = fault, cut.kind == .cut, cut.connection < nearClients + farClients else {
            return fault
        }
        return .connection(ConnectionFault(cut.direction, at: cut.place + openingBytes, .cut, on: cut.connection))
    }
}

/// The size of a round.
package struct ChaosExtent: Sendable {
    /// The number of all events, at least 1.
    package let events: Int
    /// The number of faults on each of the two links, at least 0.
    package let faults: Int
    /// The kinds of faults, at least one.
    package let kinds: [FaultPlan.Scope.Kind]

    /// Creates the size of a round.
    package init(events: Int, faults: Int, kinds: [FaultPlan.Scope.Kind]) {
        self.events = events
        self.faults = faults
        self.kinds = kinds
    }
}
