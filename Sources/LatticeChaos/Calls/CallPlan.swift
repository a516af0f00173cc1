import LatticeCore
import LatticeFaults

/// The plan of a round of calls. The same seed makes the same plan.
struct CallPlan: FaultedPlan, Sendable {
    /// The parts of the callers in the order of their numbers: the coordinator's process, the clients in that process,
    /// and a client in another process, which is killed.
    let parts: [CallPart]
    /// The faults between the coordinator and its workers.
    var workers: FaultPlan
    /// The faults between the coordinator and its clients.
    var clients: FaultPlan
    /// The speed of the machine.
    let pace: ChaosPace

    /// The number of workers with actors.
    static let callees = 3
    /// The number of clients in the coordinator's process.
    static let nearClients = 2
    private static let callers = 1 + nearClients + 1
    /// The killed caller makes this fraction of the calls of all others together.
    private static let callsOfKilled = 10
    /// The minimum number of bytes of a call and its answer on a worker's connection.
    private static let bytesOfCall = 100

    init(seed: UInt64, _ extent: CallExtent, pace: ChaosPace = .quiet) {
        self.pace = pace
        var generator = SeededGenerator(seed: seed)
        let connections = max(2, extent.faults / 3)
        workers = FaultPlan(
            seed: generator.next(),
            .init(
                faults: extent.faults,
                connections: connections,
                bytes: UInt64(max(1000, extent.calls * Self.bytesOfCall / connections)),
                kinds: extent.kinds
            )
        )
        // A call needs at least as many bytes as an event.
        let events = ChaosExtent(events: max(1, extent.calls), faults: extent.faults, kinds: extent.kinds)
        clients = ChaosPlan.clients(seed: generator.next(), events)
        let patience = pace.patience(with: workers)
        let living = Self.callers - 1
        parts = (0..<Self.callers).map { caller in
            // If the calls cannot be divided evenly, the first callers have one more.
            let share = (extent.calls + living - 1 - caller) / living
            let calls = caller < living ? share : max(1, extent.calls / Self.callsOfKilled)
            let seed = generator.next()
            var part = CallPart(caller: caller, seed: seed, calls: calls, patience: patience)
            part.isDeadly = extent.faults > 0
            if caller == living { part.lifetime = .random(in: 0..<calls, using: &generator) }
            return part
        }
    }

    /// The maximum time without progress for all calls to end.
    var patience: Duration { parts[0].patience }
    /// A Boolean value that indicates whether the plan has faults of workers or connections.
    var hasFaults: Bool { parts[0].isDeadly || !workers.faults.isEmpty || !clients.faults.isEmpty }
}

/// The size of a round of calls.
struct CallExtent: Sendable {
    /// The number of calls of the callers that are not killed, without those at the end of the round, at least 1.
    let calls: Int
    /// The number of faults on each of the two links, at least 0.
    let faults: Int
    /// The kinds of faults, at least one.
    let kinds: [FaultPlan.Scope.Kind]
}
