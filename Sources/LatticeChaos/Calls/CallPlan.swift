import LatticeCore
import LatticeFaults

/// What a round of calls is made of: the same seed, the same plan.
struct CallPlan: FaultedPlan, Sendable {
    /// Of each caller, in the order of their numbers: the coordinator's process, clients in that, and one in a process
    /// of its own, which is killed.
    let parts: [CallPart]
    /// Between the coordinator and its workers.
    var workers: FaultPlan
    /// Between the coordinator and its clients.
    var clients: FaultPlan
    /// How fast the machine is.
    let pace: ChaosPace

    /// Workers that are called.
    static let callees = 3
    /// Clients in the coordinator's process.
    static let nearClients = 2
    private static let callers = 1 + nearClients + 1
    /// As the others have together, the one that is killed has this part of besides.
    private static let callsOfKilled = 10
    /// Bytes of a call and its answer on a connection of a worker, at least.
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
        // What goes to and fro for a call is at least what does for an event.
        let events = ChaosExtent(events: max(1, extent.calls), faults: extent.faults, kinds: extent.kinds)
        clients = ChaosPlan.clients(seed: generator.next(), events)
        let patience = pace.patience(with: workers)
        let living = Self.callers - 1
        parts = (0..<Self.callers).map { caller in
            // Those that come first have one more, if they do not come out even.
            let share = (extent.calls + living - 1 - caller) / living
            let calls = caller < living ? share : max(1, extent.calls / Self.callsOfKilled)
            let seed = generator.next()
            var part = CallPart(caller: caller, seed: seed, calls: calls, patience: patience)
            part.isDeadly = extent.faults > 0
            if caller == living { part.lifetime = .random(in: 0..<calls, using: &generator) }
            return part
        }
    }

    /// How long all that was called may take to end.
    var patience: Duration { parts[0].patience }
    /// Whether anything may happen to workers, or to connections.
    var hasFaults: Bool { parts[0].isDeadly || !workers.faults.isEmpty || !clients.faults.isEmpty }
}

/// How much happens in a round of calls.
struct CallExtent: Sendable {
    /// Of those callers that are not killed, in all, but for those at its end; 1 or more.
    let calls: Int
    /// On each of the two links; 0 or more.
    let faults: Int
    /// At least one.
    let kinds: [FaultPlan.Scope.Kind]
}
