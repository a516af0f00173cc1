import Glibc
import LatticeActors
import LatticeConcurrency
import LatticeSession

/// One of those who call in a round: all of its lanes beside each other.
final class CallParticipant: Sendable {
    /// How many calls of the pool run at one actor.
    private static let callsPerActor = 8

    let part: CallPart
    let node: ActorNode
    let system: LatticeActorSystem
    private let confirmations = CallConfirmations()
    private let caller: ChaosCaller
    /// Of each call that was made.
    private let ends = Locked<[ChaosCall.Identifier: CallRecord.End]>([:])

    /// - Parameter node: That of its process, which has no other actors.
    init(_ part: CallPart, at node: ActorNode) {
        self.part = part
        self.node = node
        system = LatticeActorSystem(node)
        system.register(errors: ChaosCallFailure.self)
        caller = ChaosCaller(actorSystem: system, confirmations)
    }

    /// Returns when all calls have ended that are made while things go wrong.
    ///
    /// - Throws: ``ChaosError`` if nobody is found who can be called.
    func work() async throws {
        try await call(part.lanes)
        if part.lifetime != nil { kill(getpid(), SIGKILL) }
    }

    /// Returns when those have ended that are made behind them.
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

    // MARK: What came of it

    /// The calls that it has made. Whoever has not made all of them is told of besides.
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

    /// How many of its calls have ended.
    var endedCalls: Int { ends.withLock { ends in ends.values.count { $0 != .never } } }

    /// Calls that its actor was told of, and that it does not make.
    var strangelyConfirmed: [ChaosCall.Identifier] {
        confirmations.strangers(to: Set((part.lanes + [part.lastLane]).flatMap(\.calls).map(\.identifier)))
    }
}
