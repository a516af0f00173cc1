import LatticeCore
package import LatticeFaults

/// What a round is made of: the same seed, the same plan.
struct ChaosPlan: Sendable {
    let seed: UInt64
    /// Of each participant, in the order of their numbers: the coordinator's, those of this process, and those of
    /// processes of their own.
    let parts: [ChaosParticipant.Part]
    /// Between the coordinator and its workers.
    var workers: FaultPlan
    /// Between the coordinator and its clients.
    var clients: FaultPlan

    /// Clients in the coordinator's process.
    static let nearClients = 2
    /// Clients in processes of their own; the last of them is killed.
    static let farClients = 2
    private static let participants = 1 + nearClients + farClients

    init(seed: UInt64, _ extent: ChaosExtent) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        let events = max(1, extent.events / Self.participants)
        var parts = (0..<Self.participants).map { participant in
            ChaosParticipant.Part(participant: participant, seed: generator.next(), events: events)
        }
        parts[parts.count - 1].lifetime = Int.random(in: 0..<events, using: &generator)
        self.parts = parts
        // As many connections as are likely to begin, and as many bytes as each is likely to have.
        let connections = max(2, extent.faults / 3)
        let bytes = UInt64(max(1000, extent.events * 100 / connections))
        workers = FaultPlan(
            seed: generator.next(),
            .init(faults: extent.faults, connections: connections, bytes: bytes, kinds: extent.kinds)
        )
        clients = Self.clients(seed: generator.next(), extent, connections: 2 * connections, bytes: bytes)
    }

    /// Not on the first connections: who connects for the first time hears of one that breaks.
    private static func clients(seed: UInt64, _ extent: ChaosExtent, connections: Int, bytes: UInt64) -> FaultPlan {
        let kinds = extent.kinds.filter(FaultPlan.Scope.Kind.ofConnections.contains)
        guard !kinds.isEmpty else { return FaultPlan([]) }
        let scope = FaultPlan.Scope(faults: extent.faults, connections: connections, bytes: bytes, kinds: kinds)
        return FaultPlan(
            FaultPlan(seed: seed, scope).faults.filter { fault in
                if case .connection(let fault) = fault { fault.connection >= nearClients + farClients } else { false }
            }
        )
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
