import LatticeCore
package import LatticeFaults

/// What a round is made of: the same seed, the same plan.
struct ChaosPlan: FaultedPlan, Sendable {
    /// Of each participant, in the order of their numbers: the coordinator's, those of this process, and those of
    /// processes of their own.
    let parts: [ChaosParticipant.Part]
    /// Between the coordinator and its workers.
    var workers: FaultPlan
    /// Between the coordinator and its clients.
    var clients: FaultPlan
    /// How many workers stand by: none, or by every other seed one for each group.
    let standbys: Int
    /// How fast the machine is.
    let pace: ChaosPace

    /// Clients in the coordinator's process.
    static let nearClients = 2
    /// Clients in processes of their own; the last of them is killed.
    static let farClients = 2
    private static let participants = 1 + nearClients + farClients
    /// What goes to and fro on a connection until its client has opened all logs, and more: who connects for the first
    /// time hears of a connection that breaks before.
    private static let openingBytes: UInt64 = 4096

    init(seed: UInt64, _ extent: ChaosExtent, pace: ChaosPace = .quiet) {
        self.pace = pace
        var generator = SeededGenerator(seed: seed)
        // As many connections as are likely to begin, and as many bytes as each is likely to have.
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

    /// How long all that was sent may take to end.
    var patience: Duration { parts[0].patience }

    /// What happens to connections of clients, none of which breaks before its client has opened what it opens.
    static func clients(seed: UInt64, _ extent: ChaosExtent) -> FaultPlan {
        let kinds = extent.kinds.filter(FaultPlan.Scope.Kind.ofConnections.contains)
        guard !kinds.isEmpty else { return FaultPlan([]) }
        let scope = FaultPlan.Scope(
            faults: extent.faults,
            connections: 3 * (nearClients + farClients),
            // What a client sends, and more of what it gets.
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

/// How much happens in a round.
package struct ChaosExtent: Sendable {
    /// In all; 1 or more.
    package let events: Int
    /// On each of the two links; 0 or more.
    package let faults: Int
    /// At least one.
    package let kinds: [FaultPlan.Scope.Kind]

    package init(events: Int, faults: Int, kinds: [FaultPlan.Scope.Kind]) {
        self.events = events
        self.faults = faults
        self.kinds = kinds
    }
}
