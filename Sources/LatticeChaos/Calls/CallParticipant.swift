import Glibc
import LatticeActors
import LatticeCalls
import LatticeConcurrency

/// A caller of a round. All of its lanes run in parallel.
final class CallParticipant: Sendable {
    /// The maximum number of calls of the pool at one actor.
    private static let callsPerActor = 8

    let part: CallPart
    let node: ActorNode
    let system: LatticeActorSystem
    private let confirmations = CallConfirmations()
    private let caller: ChaosCaller
    /// How each call that was made has ended.
    private let ends = Locked<[ChaosCall.Identifier: CallRecord.End]>([:])

    /// Creates a caller.
    ///
    /// - Parameters:
    ///   - part: The part of the caller.
    ///   - node: The node of its process, which has no other actors.
    init(_ part: CallPart, at node: ActorNode) {
        self.part = part
        self.node = node
        system = LatticeActorSystem(node)
        system.register(errors: ChaosCallFailure.self)
        caller = ChaosCaller(actorSystem: system, confirmations)
    }

    /// Makes the calls during the faults, and returns when all have ended.
    ///
    /// - Throws: ``ChaosError`` if no actor is found.
    func work() async throws {
        try await call(part.lanes)
        if part.lifetime != nil { kill(getpid(), SIGKILL) }
    }

    /// Makes the calls after the faults, and returns when all have ended.
    func workAtEnd() async throws {
        try await call([part.lastLane])
    }

    private func call(_ lanes: [CallLane]) async throws {
        let name = ChaosCallee.Name.pool.rawValue
        try await system.withPool(of: ChaosCallee.self, named: name, callsPerActor: Self.callsPerActor) { pool in
            let run = CallLaneRun(system: system, pool: pool, caller: caller, patience: part.patience) { call in
                self.willMake(call)
            } hasEnded: { call, end in
                self.ends.withLock { $0[call.identifier] = end }
            }
            try await withThrowingTaskGroup { group in
                for lane in lanes { group.addTask { try await run.run(lane) } }
                try await group.waitForAll()
            }
        }
    }

    private func willMake(_ call: ChaosCall) {
        let number = ends.withLock { ends in
            defer { ends[call.identifier] = .never }
            return ends.count
        }
        if number == part.lifetime { kill(getpid(), SIGKILL) }
    }

    // MARK: Results

    /// The calls that it has made. If it has not made all of them, that is reported elsewhere.
    var records: [CallRecord] {
        let calls = (part.lanes + [part.lastLane]).flatMap(\.calls)
        return ends.withLock { ends in
            calls.compactMap { call in
                ends[call.identifier].map { end in
                    CallRecord(call: call, end: end, confirmations: confirmations.count(of: call.identifier))
                }
            }
        }
    }

    /// The number of its calls that have ended.
    var endedCalls: Int { ends.withLock { ends in ends.values.count { $0 != .never } } }

    /// The calls that were confirmed to its actor although it did not make them.
    var unexpectedlyConfirmed: [ChaosCall.Identifier] {
        confirmations.strangers(to: Set((part.lanes + [part.lastLane]).flatMap(\.calls).map(\.identifier)))
    }
}
